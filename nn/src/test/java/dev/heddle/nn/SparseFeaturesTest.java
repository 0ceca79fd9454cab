package dev.heddle.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.heddle.graph.Block;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.SelfLoops;
import dev.heddle.graph.SparseFeatures;
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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sparse features are a way to keep features, not other features; and they stay sparse. */
class SparseFeaturesTest {
  private static final int VERTICES = 40;
  private static final int OUTPUTS = 4;

  /** Always the same: a value that two roundings put on two sides of a kink would tell nothing. */
  private final SplittableRandom random = new SplittableRandom(5);

  private final Memory memory = new Memory();
  private final ThreadTeam team = ThreadTeam.of(2);
  private final RandomGraph graph = new RandomGraph(random, memory, VERTICES);
  private final Csr arcs = graph.arcs();

  @AfterEach
  void free() {
    team.close();
    memory.close();
  }

  @ParameterizedTest
  @EnumSource
  void giveWhatDenseOnesDo(ModelKind kind) {
    SparseFeatures sparse = graph.sparse(21);
    Model model = model(kind, 21, 0);
    for (Parameter p : model.parameters().all()) {
      // Biases begin at zero, which would hide some of what is wrong.
      FiniteDifferences.move(p.value(), graph.gaussian(p.value().rows(), p.value().cols()), 0.2f);
    }
    Matrix weights = graph.gaussian(VERTICES, OUTPUTS);
    List<float[][]> expected = run(model, new DenseFeatures(dense(sparse.byRow())), weights);
    List<float[][]> actual = run(model, sparse, weights);
    assertClose("output", actual.getFirst(), expected.getFirst());
    for (int i = 1; i < expected.size(); i++) {
      String name = model.parameters().all().get(i - 1).name();
      assertClose(name, actual.get(i), expected.get(i));
    }
  }

  /** What is kept is values and hidden rows: a matrix of features would be twenty times as much. */
  @ParameterizedTest
  @EnumSource
  void areNeverMadeDense(ModelKind kind) {
    int width = 100_000;
    SparseFeatures features = graph.sparse(width);
    Program program = program(model(kind, width, 0.2f), features);
    long made = 4L * VERTICES * width;
    assertThat(program.bytes())
        .as("as for few columns")
        .isEqualTo(program(model(kind, 50, 0.2f), graph.sparse(50)).bytes())
        .isLessThan(made / 20);
    try (Memory region = new Memory()) {
      program.allocate(region, team);
      assertThat(region.bytes()).isLessThan(made / 20);
    }
  }

  private Model model(ModelKind kind, int width, float inputDropout) {
    ModelSpec.Builder spec = ModelSpec.of(kind).hidden(8).dropout(0).inputDropout(inputDropout);
    spec.heads(2).outputHeads(2).propagations(3).epsilon(0.3f);
    return Model.create(spec.build(), new Model.Shape(width, OUTPUTS), memory, 11);
  }

  private Program program(Model model, Features features) {
    Rows rows = new Rows(VERTICES);
    boolean loops = model.spec().kind().selfLoops();
    Block block = Block.of(memory, loops ? SelfLoops.added(memory, arcs) : arcs);
    Recorder r = new Recorder(Recorder.Options.DEFAULT);
    Value x = r.input(rows, features);
    List<Hop> hops = Collections.nCopies(model.hops(), Hop.within(block, rows));
    return r.build(model.record(r, hops, x));
  }

  /** The output, then the gradient of every parameter. */
  private List<float[][]> run(Model model, Features features, Matrix weights) {
    Program program = program(model, features).allocate(memory, team);
    Step step = new Step(3).train(1, 0);
    model.parameters().all().forEach(Parameter::zeroGrad);
    program.forward(step);
    List<float[][]> results = new ArrayList<>();
    results.add(program.output().toArray());
    for (int row = 0; row < VERTICES; row++) {
      program.outputGrad().setRow(row, weights.toArray()[row]);
    }
    program.backward(step);
    model.parameters().all().forEach(p -> results.add(p.grad().toArray()));
    return results;
  }

  private Matrix dense(Csr sparse) {
    Matrix m = Matrix.allocate(memory, sparse.rows(), sparse.cols());
    for (int row = 0; row < sparse.rows(); row++) {
      for (long i = sparse.offset(row); i < sparse.offset(row + 1); i++) {
        m.set(row, sparse.id(i), sparse.weight(i));
      }
    }
    return m;
  }

  /** Every value within a share of the largest one of its matrix. */
  private static void assertClose(String name, float[][] actual, float[][] expected) {
    double largest = 0;
    for (float[] row : expected) {
      for (float value : row) {
        largest = Math.max(largest, Math.abs(value));
      }
    }
    for (int r = 0; r < expected.length; r++) {
      for (int c = 0; c < expected[r].length; c++) {
        if (!(Math.abs(actual[r][c] - expected[r][c]) <= 1e-5 * largest)) {
          fail("%s[%d, %d] is %s, dense %s", name, r, c, actual[r][c], expected[r][c]);
        }
      }
    }
  }
}
