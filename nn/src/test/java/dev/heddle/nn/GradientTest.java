package dev.heddle.nn;

import static org.assertj.core.api.Assertions.fail;

import dev.heddle.graph.Block;
import dev.heddle.graph.Features;
import dev.heddle.graph.SelfLoops;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.Workers;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Step;
import dev.heddle.nn.program.Value;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The gradient of every network against finite differences, with dropout on: draws are keyed, so
 * that a step's loss is a function of the parameters alone.
 *
 * <p>The loss is a weighted sum of the outputs. For a random direction D, {@code (L(p + hD) − L(p −
 * hD)) / 2h} must be {@code ∇L · D} at p. It is not where a ReLU or a maximum has a kink between
 * the two points: {@code ∇L · D} then differs from one to the other. Such a place tells nothing,
 * and the test goes on from another. Two kinks may hide each other, so that one place alone does
 * not decide.
 */
class GradientTest {
  private static final float H = 5e-4f;
  private static final double TOLERANCE = 2.5e-2;
  private static final int VOTES = 2;

  /** Places tried before giving up. */
  private static final int PLACES = 150;

  private static final int WIDTH = 11;
  private static final int OUTPUTS = 5;

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();
  private final Workers workers = Workers.of(2);
  private final RandomGraph graph = new RandomGraph(random, memory, 16);
  private final Step step = new Step(7).train(3, 0);

  @AfterEach
  void free() {
    workers.close();
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
      move(p.value(), graph.gaussian(p.value().rows(), p.value().cols()), 0.2f);
    }
    Program program = program(model, features).allocate(memory, workers);
    Matrix weights = graph.gaussian(graph.vertices(), OUTPUTS);
    for (Parameter p : model.parameters().all()) {
      assertGradient(p, program, weights);
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

  private void assertGradient(Parameter p, Program program, Matrix weights) {
    int right = 0;
    int wrong = 0;
    for (int place = 0; right < VOTES; place++) {
      if (place == PLACES) {
        fail("%s: kinks everywhere", p);
      }
      Matrix direction = graph.gaussian(p.value().rows(), p.value().cols());
      Point first = point(p, program, weights, direction);
      double tolerance = TOLERANCE * Math.max(norm(List.of(p)), norm(program.parameters()) / 30);
      move(p.value(), direction, H);
      Point middle = point(p, program, weights, direction);
      move(p.value(), direction, H);
      Point last = point(p, program, weights, direction);
      if (Math.abs(first.slope - middle.slope) > tolerance / 3
          || Math.abs(last.slope - middle.slope) > tolerance / 3) {
        move(p.value(), direction, 0.02f);
        continue;
      }
      double difference = (last.loss - first.loss) / (2 * H);
      if (Math.abs(difference - middle.slope) <= tolerance) {
        right++;
      } else if (++wrong == VOTES) {
        fail("%s: gradient %.5f, differences %.5f", p, middle.slope, difference);
      }
    }
  }

  /** The loss where the parameters are, and the gradient's share along a direction. */
  private record Point(double loss, double slope) {}

  private Point point(Parameter p, Program program, Matrix weights, Matrix direction) {
    program.parameters().forEach(Parameter::zeroGrad);
    program.forward(step);
    double loss = dot(program.output(), weights);
    copy(weights, program.outputGrad());
    program.backward(step);
    return new Point(loss, dot(p.grad(), direction));
  }

  /** The norm of some gradients together; the loss is a float32, and no finer than all of them. */
  private static double norm(List<Parameter> parameters) {
    return Math.sqrt(parameters.stream().mapToDouble(p -> dot(p.grad(), p.grad())).sum());
  }

  private static double dot(Matrix a, Matrix b) {
    double sum = 0;
    for (int r = 0; r < a.rows(); r++) {
      for (int c = 0; c < a.cols(); c++) {
        sum += (double) a.get(r, c) * b.get(r, c);
      }
    }
    return sum;
  }

  private static void move(Matrix m, Matrix direction, float by) {
    for (int r = 0; r < m.rows(); r++) {
      for (int c = 0; c < m.cols(); c++) {
        m.set(r, c, m.get(r, c) + by * direction.get(r, c));
      }
    }
  }

  private static void copy(Matrix from, Matrix to) {
    for (int r = 0; r < from.rows(); r++) {
      for (int c = 0; c < from.cols(); c++) {
        to.set(r, c, from.get(r, c));
      }
    }
  }
}
