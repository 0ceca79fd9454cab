package dev.heddle.nn;

import dev.heddle.graph.Block;
import dev.heddle.graph.Features;
import dev.heddle.graph.SelfLoops;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Step;
import dev.heddle.nn.program.Value;
import java.util.Collections;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The gradient of every network against finite differences, with dropout on: draws are keyed, so
 * that a step's loss is a function of the parameters alone.
 */
class GradientTest {
  private static final int WIDTH = 11;
  private static final int OUTPUTS = 5;

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();
  private final ThreadTeam team = ThreadTeam.of(2);
  private final RandomGraph graph = new RandomGraph(random, memory, 16);
  private final FiniteDifferences differences =
      new FiniteDifferences(graph, new Step(7).train(3, 0), 5e-4f, 2.5e-2);

  @AfterEach
  void free() {
    team.close();
    memory.close();
  }

  @ParameterizedTest
  @EnumSource
  void denseFeatures(ModelKind kind) {
    assertGradients(spec(kind).inputDropout(0.2f), graph.dense(WIDTH));
  }

  @ParameterizedTest
  @EnumSource
  void sparseFeatures(ModelKind kind) {
    assertGradients(spec(kind).inputDropout(0.2f), graph.sparse(WIDTH));
  }

  /** Without input dropout, so that what depends on the features alone is computed once. */
  @ParameterizedTest
  @EnumSource
  void rowsNormalised(ModelKind kind) {
    assertGradients(spec(kind).norm(NormKind.LAYER), graph.dense(WIDTH));
  }

  @ParameterizedTest
  @EnumSource(names = {"GCN", "SAGE", "SAGE_POOL", "GAT", "GATV2", "GIN"})
  void residual(ModelKind kind) {
    assertGradients(spec(kind).residual(true), graph.dense(WIDTH));
  }

  /** Likewise; the other networks take no norm or have one of their own. */
  @ParameterizedTest
  @EnumSource(names = {"GCN", "SAGE", "SAGE_POOL", "GAT", "GATV2", "GIN", "APPNP", "MLP"})
  void columnsNormalised(ModelKind kind) {
    assertGradients(spec(kind).norm(NormKind.BATCH).layers(3), graph.dense(WIDTH));
  }

  private static ModelSpec.Builder spec(ModelKind kind) {
    return ModelSpec.of(kind)
        .hidden(12)
        .heads(4)
        .outputHeads(3)
        .propagations(3)
        .epsilon(0.3f)
        .dropout(0.3f)
        .attentionDropout(0.3f);
  }

  private void assertGradients(ModelSpec.Builder spec, Features features) {
    Model model =
        Model.create(spec.build(), new Model.Shape(WIDTH, OUTPUTS), memory, random.nextLong());
    for (Parameter p : model.parameters().all()) {
      // Away from zero, where the rows of isolated vertices would sit in a kink.
      FiniteDifferences.move(p.value(), graph.gaussian(p.value().rows(), p.value().cols()), 0.2f);
    }
    Program program = program(model, features).allocate(memory, team);
    Matrix weights = graph.gaussian(graph.vertices(), OUTPUTS);
    for (Parameter p : model.parameters().all()) {
      differences.check(program, weights, p);
    }
  }

  private Program program(Model model, Features features) {
    Csr arcs = graph.arcs();
    boolean loops = model.spec().kind().selfLoops();
    Block block = Block.of(memory, loops ? SelfLoops.added(memory, arcs) : arcs);
    Rows rows = new Rows(graph.vertices());
    Recorder r = new Recorder(Recorder.Options.DEFAULT);
    Value x = r.input(rows, features);
    return r.build(model.record(r, Collections.nCopies(model.hops(), Hop.within(block, rows)), x));
  }
}
