package dev.heddle.nn.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.heddle.graph.Block;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.SelfLoops;
import dev.heddle.kernel.Activation;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.GcnConv;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.Parameters;
import dev.heddle.nn.RandomGraph;
import dev.heddle.nn.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ProgramTest {
  private static final int VERTICES = 40;
  private static final int WIDTH = 9;
  private static final Recorder.Options FOLDED = new Recorder.Options(true, false);
  private static final Recorder.Options UNFOLDED = new Recorder.Options(false, false);
  private static final Recorder.Options HALF = new Recorder.Options(true, true);

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();
  private final ThreadTeam team = ThreadTeam.of(2);
  private final RandomGraph graph = new RandomGraph(random, memory, VERTICES);
  private final Csr arcs = graph.arcs();
  private final Rows rows = new Rows(VERTICES);
  private final Parameters parameters = new Parameters(memory, 5);
  private final Step step = new Step(3).train(1, 0);

  @AfterEach
  void free() {
    team.close();
    memory.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"GCN", "SAGE", "SAGE_POOL", "GIN", "SGC"})
  void foldingConstantsChangesNoResult(ModelKind kind) {
    DenseFeatures features = graph.dense(WIDTH);
    Matrix weights = graph.gaussian(VERTICES, 4);
    Run folded = run(model(kind), FOLDED, features, weights);
    Run unfolded = run(model(kind), UNFOLDED, features, weights);
    folded.assertClose(unfolded, 1e-5);
  }

  @ParameterizedTest
  @EnumSource(names = {"GCN", "SAGE", "GIN", "SGC"})
  void halfWidthIsCloseToFullWidth(ModelKind kind) {
    DenseFeatures features = graph.dense(WIDTH);
    Matrix weights = graph.gaussian(VERTICES, 4);
    Run full = run(model(kind), FOLDED, features, weights);
    Run half = run(model(kind), HALF, features, weights);
    if (kind == ModelKind.GIN) {
      // Inside its layer is a ReLU: where rounding turns a sign, gradients jump and outputs do not.
      Run.assertClose(half.output, full.output, 1e-2);
    } else {
      half.assertClose(full, 1e-2);
    }
    assertThat(Arrays.deepEquals(half.output, full.output)).isFalse();
  }

  /** What a program computes. */
  @SuppressWarnings("ArrayRecordComponent") // Compared element by element.
  private record Run(float[][] output, List<float[][]> gradients) {
    /** Every value within a share of the largest one of its matrix. */
    void assertClose(Run other, double share) {
      assertClose(output, other.output, share);
      for (int i = 0; i < gradients.size(); i++) {
        assertClose(gradients.get(i), other.gradients.get(i), share);
      }
    }

    private static void assertClose(float[][] a, float[][] b, double share) {
      double largest = 0;
      for (float[] row : b) {
        for (float value : row) {
          largest = Math.max(largest, Math.abs(value));
        }
      }
      for (int r = 0; r < a.length; r++) {
        for (int c = 0; c < a[r].length; c++) {
          if (!(Math.abs(a[r][c] - b[r][c]) <= share * largest)) {
            fail("[%d, %d] is %s and %s, of %s at most", r, c, a[r][c], b[r][c], largest);
          }
        }
      }
    }
  }

  /** One layer: rounding must not reach a ReLU, whose kink would make more of it. */
  private Model model(ModelKind kind) {
    ModelSpec spec = ModelSpec.of(kind).layers(1).hidden(8).dropout(0).build();
    return Model.create(spec, new Model.Shape(WIDTH, 4), memory, 11);
  }

  private Run run(Model model, Recorder.Options options, DenseFeatures x, Matrix weights) {
    Recorder r = new Recorder(options);
    List<Hop> hops = Collections.nCopies(model.hops(), hop(model.spec().kind().selfLoops()));
    Program program = r.build(model.record(r, hops, r.input(rows, x))).allocate(memory, team);
    program.forward(step);
    float[][] output = program.output().toArray();
    fill(program.outputGrad(), weights);
    program.backward(step);
    return new Run(output, model.parameters().all().stream().map(p -> p.grad().toArray()).toList());
  }

  private Hop hop(boolean selfLoops) {
    return Hop.within(Block.of(memory, selfLoops ? SelfLoops.added(memory, arcs) : arcs), rows);
  }

  private static void fill(Matrix target, Matrix values) {
    for (int r = 0; r < values.rows(); r++) {
      target.setRow(r, values.toArray()[r]);
    }
  }

  @Test
  void foldedAggregationRunsOnce() {
    for (boolean fold : new boolean[] {true, false}) {
      DenseFeatures features = graph.dense(WIDTH);
      Recorder r = new Recorder(fold ? FOLDED : UNFOLDED);
      Hop hop = hop(true);
      Value smooth = r.aggregate(hop, Normalisation.SYMMETRIC, r.input(rows, features));
      smooth = r.aggregate(hop, Normalisation.SYMMETRIC, smooth);
      Parameter w = parameters.weight("w" + fold, WIDTH, 4);
      Program program = r.build(r.linear(smooth, w)).allocate(memory, team);
      program.forward(step);
      float[][] before = program.output().toArray();
      features.matrix().fill(3);
      program.forward(step);
      assertThat(Arrays.deepEquals(program.output().toArray(), before)).isEqualTo(fold);
    }
  }

  /** The product comes first where it narrows, the aggregation where the product widens. */
  @ParameterizedTest
  @CsvSource({"5, 13, true", "5, 13, false", "13, 5, true", "13, 5, false"})
  void convolutionEqualsItsFormulaInEitherOrder(int in, int out, boolean fold) {
    DenseFeatures features = graph.dense(in);
    GcnConv conv = new GcnConv(parameters, in, out);
    Matrix w = parameters.all().get(0).value();
    Matrix b = parameters.all().get(1).value();
    fill(b, graph.gaussian(1, out));
    Recorder r = new Recorder(fold ? FOLDED : UNFOLDED);
    Csr loops = SelfLoops.added(memory, arcs);
    Value x = r.input(rows, features);
    Program program =
        r.build(conv.record(r, Hop.within(Block.of(memory, loops), rows), x))
            .allocate(memory, team);
    program.forward(step);
    for (int v = 0; v < VERTICES; v++) {
      for (int c = 0; c < out; c++) {
        double sum = b.get(0, c);
        for (long arc = loops.offset(v); arc < loops.offset(v + 1); arc++) {
          int u = loops.id(arc);
          double product = 0;
          for (int k = 0; k < in; k++) {
            product += (double) features.matrix().get(u, k) * w.get(k, c);
          }
          sum += product / Math.sqrt((double) loops.degree(u) * loops.degree(v));
        }
        if (!(Math.abs(program.output().get(v, c) - sum) <= 1e-5 * (1 + Math.abs(sum)))) {
          fail("[%d, %d] is %s, not %s", v, c, program.output().get(v, c), sum);
        }
      }
    }
  }

  @Test
  void overwritingAValueThatIsReadLaterIsRefused() {
    Recorder r = new Recorder(FOLDED);
    Value h = r.linear(r.input(rows, graph.dense(WIDTH)), parameters.weight("w", WIDTH, 4));
    Value active = r.epilogue(h, parameters.zeros("b", 4), Activation.RELU, 0);
    assertRefused(r, r.combine(1, active, 1, h));
  }

  @Test
  void overwritingAValueThatBackwardNeedsIsRefused() {
    Recorder r = new Recorder(FOLDED);
    Value h = r.linear(r.input(rows, graph.dense(WIDTH)), parameters.weight("w", WIDTH, 4));
    Value next = r.linear(h, parameters.weight("next", 4, 4));
    assertRefused(r, r.aggregateOnto(hop(false), Normalisation.SUM, next, h));
  }

  @Test
  void addingAValueToItselfInPlaceIsRefused() {
    Recorder r = new Recorder(FOLDED);
    Value h = r.linear(r.input(rows, graph.dense(WIDTH)), parameters.weight("w", WIDTH, 4));
    assertRefused(r, r.aggregateOnto(hop(false), Normalisation.SUM, h, h));
  }

  @Test
  void overwritingTheOutputIsRefused() {
    Recorder r = new Recorder(FOLDED);
    Value h = r.linear(r.input(rows, graph.dense(WIDTH)), parameters.weight("w", WIDTH, 4));
    Value _ = r.epilogue(h, null, Activation.RELU, 0);
    assertRefused(r, h);
  }

  @Test
  void aBoundaryThatNothingReadsIsRefused() {
    Recorder r = new Recorder(FOLDED);
    Value h = r.linear(r.boundary(rows, WIDTH), parameters.weight("w", WIDTH, 4));
    Value _ = r.boundary(rows, WIDTH);
    assertThatThrownBy(() -> r.build(h)).hasMessageContaining("no output depends on a boundary");
  }

  /** A gradient of two readers and of the caller, who reads the value too. */
  @Test
  void anOutputThatIsReadGetsAllGradients() {
    Recorder r = new Recorder(FOLDED);
    Value x = r.boundary(rows, WIDTH);
    Value sum = r.combine(2, x, 3, x);
    Program program = r.build(List.of(sum, x)).allocate(memory, team);
    x.data().fill(2);
    program.forward(step);
    assertThat(sum.data().get(7, 3)).isEqualTo(10);
    assertThat(x.data().get(7, 3)).isEqualTo(2);
    sum.grad().fill(1);
    x.grad().fill(10);
    program.backward(step);
    assertThat(x.grad().get(7, 3)).isEqualTo(15);
  }

  /** What no output depends on is not computed: it would pass on a gradient that nobody wrote. */
  @Test
  void whatNoOutputDependsOnIsLeftOut() {
    Recorder r = new Recorder(FOLDED);
    Parameter unused = parameters.weight("unused", WIDTH, 4);
    Value x = r.boundary(rows, WIDTH);
    Value _ = r.linear(x, unused);
    Program program = r.build(r.linear(x, parameters.weight("w", WIDTH, 4)));
    assertThat(program.parameters()).doesNotContain(unused);
  }

  private static void assertRefused(Recorder r, Value output) {
    assertThatThrownBy(() -> r.build(output))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("would overwrite a value that is still needed");
  }

  @Test
  void featuresAreNeverOverwritten() {
    DenseFeatures features = graph.dense(WIDTH);
    float[][] before = features.matrix().toArray();
    Recorder r = new Recorder(FOLDED);
    Value x = r.input(rows, features);
    Value active = r.epilogue(x, parameters.zeros("b", WIDTH), Activation.RELU, 0.5f);
    r.build(active).allocate(memory, team).forward(step);
    assertThat(features.matrix().toArray()).isDeepEqualTo(before);
  }

  @Test
  void aValueCombinedWithItselfGetsBothGradients() {
    Recorder r = new Recorder(FOLDED);
    Parameter p = Parameter.allocate(memory, "p", VERTICES, WIDTH);
    fill(p.value(), graph.gaussian(VERTICES, WIDTH));
    Value x = r.embedding(rows, p);
    Program program = r.build(r.combine(2, x, 3, x)).allocate(memory, team);
    program.forward(step);
    // 2x + 3x rounds twice, 5x once.
    assertThat(program.output().get(7, 3))
        .isCloseTo(5 * p.value().get(7, 3), withinPercentage(0.001));
    program.outputGrad().fill(1);
    program.backward(step);
    assertThat(p.grad().get(7, 3)).isEqualTo(5);
  }

  /** Narrowing and widening convolutions, to all rows and fewer, against what they are made of. */
  @Test
  void everyOrderOfAConvolutionIsEqual() {
    for (Hop hop : List.of(hop(false), hopToFewer(VERTICES / 3))) {
      for (int cols : new int[] {4, WIDTH, 21}) {
        assertEqualsItsParts(hop, cols, true);
        assertEqualsItsParts(hop, cols, false);
      }
    }
  }

  private Hop hopToFewer(int destinations) {
    return Hop.of(Block.of(memory, arcs.slice(0, destinations)), rows, new Rows(destinations));
  }

  private void assertEqualsItsParts(Hop hop, int cols, boolean withSelf) {
    Parameter rows0 = Parameter.allocate(memory, "rows", VERTICES, WIDTH);
    fill(rows0.value(), graph.gaussian(VERTICES, WIDTH));
    Parameters own = new Parameters(memory, 1);
    Parameter w = own.weight("w", WIDTH, cols);
    Parameter self = withSelf ? own.weight("self", WIDTH, cols) : null;
    Recorder fused = new Recorder(FOLDED);
    Value x = fused.embedding(rows, rows0);
    var maps = new Recorder.Maps(w, self);
    Parameter[] compared = withSelf ? new Parameter[] {rows0, w, self} : new Parameter[] {rows0, w};
    List<float[][]> actual =
        run(fused.build(fused.convolve(hop, Normalisation.MEAN, x, maps)), compared);
    Recorder apart = new Recorder(FOLDED);
    Value y = apart.embedding(rows, rows0);
    Value nbr = apart.linear(apart.aggregate(hop, Normalisation.MEAN, y), w);
    Value sum =
        self == null ? nbr : apart.combine(1, nbr, 1, apart.linear(y, hop.destinations(), self));
    List<float[][]> expected = run(apart.build(sum), compared);
    for (int i = 0; i < expected.size(); i++) {
      assertClose(actual.get(i), expected.get(i));
    }
  }

  /** Output and gradients where the loss is the sum of all outputs. */
  private List<float[][]> run(Program program, Parameter... of) {
    program.allocate(memory, team).forward(step);
    List<float[][]> results = new ArrayList<>();
    results.add(program.output().toArray());
    program.outputGrad().fill(1);
    program.parameters().forEach(Parameter::zeroGrad);
    program.backward(step);
    for (Parameter p : of) {
      results.add(p.grad().toArray());
    }
    return results;
  }

  private static void assertClose(float[][] actual, float[][] expected) {
    for (int r = 0; r < expected.length; r++) {
      for (int c = 0; c < expected[r].length; c++) {
        assertThat(actual[r][c]).isCloseTo(expected[r][c], within(1e-4f));
      }
    }
  }

  @Test
  void memoryIsTakenAsAnnounced() {
    Hop hop = hop(false);
    var _ = hop.block().forward(Normalisation.MEAN);
    var _ = hop.block().backward(Normalisation.MEAN);
    Recorder r = new Recorder(FOLDED);
    Value x = r.input(rows, graph.dense(WIDTH));
    Value h = r.linear(x, parameters.weight("w", WIDTH, 7));
    Value max = r.max(hop, h);
    Value mean = r.aggregate(hop, Normalisation.MEAN, h);
    Value out = r.linear(r.combine(1, max, 1, mean), parameters.weight("v", 7, 3));
    Program program = r.build(out);
    try (Memory region = new Memory()) {
      program.allocate(region, team);
      assertThat(region.bytes()).isEqualTo(program.bytes());
    }
  }

  @Test
  void evaluationBetweenStepsChangesNothing() {
    ModelSpec spec = ModelSpec.of(ModelKind.GCN).hidden(8).dropout(0.5f).build();
    Model model = Model.create(spec, new Model.Shape(WIDTH, 4), memory, 11);
    Recorder r = new Recorder(FOLDED);
    List<Hop> hops = Collections.nCopies(model.hops(), hop(true));
    Value x = r.input(rows, graph.dense(WIDTH));
    Program program = r.build(model.record(r, hops, x)).allocate(memory, team);
    program.forward(step.train(4, 0));
    float[][] fourth = program.output().toArray();
    program.forward(step.evaluate());
    float[][] evaluated = program.output().toArray();
    program.forward(step.train(5, 0));
    assertThat(Arrays.deepEquals(program.output().toArray(), fourth)).isFalse();
    program.forward(step.evaluate());
    assertThat(program.output().toArray()).isDeepEqualTo(evaluated);
    program.forward(step.train(4, 0));
    assertThat(program.output().toArray()).isDeepEqualTo(fourth);
  }
}
