package dev.heddle.nn.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.Block;
import dev.heddle.graph.Features;
import dev.heddle.graph.SelfLoops;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.RandomGraph;
import dev.heddle.nn.TestSeed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is computed again for backward comes to the bits of what is kept, in fewer bytes. */
class ReplayTest {
  private static final int VERTICES = 80;
  private static final int WIDTH = 17;
  private static final int OUTPUTS = 5;
  private static final Recorder.Options KEEPING = Recorder.Options.DEFAULT;

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();
  private final ThreadTeam team = ThreadTeam.of(2);
  private final RandomGraph graph = new RandomGraph(random, memory, VERTICES);
  private final Csr arcs = graph.arcs();
  private final Rows rows = new Rows(VERTICES);
  private final Features features = graph.dense(WIDTH);
  private final Matrix outputGrad = graph.gaussian(VERTICES, OUTPUTS);

  @AfterEach
  void free() {
    team.close();
    memory.close();
  }

  @ParameterizedTest
  @EnumSource
  void inputDropped(ModelKind kind) {
    assertSameInNoMoreBytes(model(spec(kind).inputDropout(0.2f)));
  }

  @ParameterizedTest
  @EnumSource
  void rowsNormalised(ModelKind kind) {
    assertSameInNoMoreBytes(model(spec(kind).norm(NormKind.LAYER)));
  }

  @ParameterizedTest
  @EnumSource(names = {"GCN", "SAGE", "GAT", "GIN"})
  void columnsNormalised(ModelKind kind) {
    assertSameInNoMoreBytes(model(spec(kind).norm(NormKind.BATCH)));
  }

  /**
   * Two matrices a layer are kept, before and after norm, activation and dropout: one is enough.
   */
  @Test
  void deepResidualNetworksKeepHalf() {
    int layers = 16;
    Model model = model(spec(ModelKind.RESGCN).layers(layers));
    long matrix = Matrix.bytes(VERTICES, 12);
    assertThat(program(model, KEEPING).bytes() - program(model, KEEPING.recomputing()).bytes())
        .isGreaterThan((layers - 1) * matrix);
  }

  /** Layers keep nothing that is made element by element, but the dropped input is. */
  @Test
  void droppedFeaturesAreNotKept() {
    Model model = model(spec(ModelKind.GCNII).inputDropout(0.2f).layers(8));
    assertThat(program(model, KEEPING.recomputing()).bytes())
        .isLessThan(program(model, KEEPING).bytes());
  }

  private void assertSameInNoMoreBytes(Model model) {
    Program keeping = program(model, KEEPING);
    Program recomputing = program(model, KEEPING.recomputing());
    assertThat(recomputing.bytes()).isLessThanOrEqualTo(keeping.bytes());
    List<float[][]> expected = run(model, keeping);
    List<float[][]> actual = run(model, recomputing);
    for (int i = 0; i < expected.size(); i++) {
      assertThat(actual.get(i)).isDeepEqualTo(expected.get(i));
    }
  }

  /** Outputs and gradients of two steps: buffers are shared, and the second must see nothing. */
  private List<float[][]> run(Model model, Program program) {
    program.allocate(memory, team);
    List<float[][]> results = new ArrayList<>();
    for (int epoch = 1; epoch <= 2; epoch++) {
      Step step = new Step(3).train(epoch, 0);
      model.parameters().all().forEach(Parameter::zeroGrad);
      program.forward(step);
      results.add(program.output().toArray());
      for (int row = 0; row < VERTICES; row++) {
        program.outputGrad().setRow(row, outputGrad.toArray()[row]);
      }
      program.backward(step);
      model.parameters().all().forEach(p -> results.add(p.grad().toArray()));
    }
    return results;
  }

  private Program program(Model model, Recorder.Options options) {
    Csr in = model.spec().kind().selfLoops() ? SelfLoops.added(memory, arcs) : arcs;
    Hop hop = Hop.within(Block.of(memory, in), rows);
    Recorder r = new Recorder(options);
    Value x = r.input(rows, features);
    return r.build(model.record(r, Collections.nCopies(model.hops(), hop), x));
  }

  private Model model(ModelSpec.Builder spec) {
    return Model.create(spec.build(), new Model.Shape(WIDTH, OUTPUTS), memory, 5);
  }

  private static ModelSpec.Builder spec(ModelKind kind) {
    return ModelSpec.of(kind)
        .layers(3)
        .hidden(12)
        .heads(4)
        .outputHeads(3)
        .propagations(3)
        .dropout(0.3f)
        .attentionDropout(0.3f);
  }
}
