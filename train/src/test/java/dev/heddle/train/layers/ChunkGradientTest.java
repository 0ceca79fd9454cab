package dev.heddle.train.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.program.Step;
import dev.heddle.train.layers.ChunkedReference.Forward;
import dev.heddle.train.layers.ChunkedReference.Weights;
import dev.heddle.train.settings.LayerSplit.Compensation;
import dev.heddle.train.settings.LayerSplit.History;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Gradients of training in chunks: a reference in double precision meets finite differences, the
 * engine meets the reference, and what counts double is right in the mean where it can be.
 */
class ChunkGradientTest {
  private static final int VERTICES = 120;
  private static final int CHUNKS = 4;
  private static final int LAYERS = 4;

  private static Graph graph;
  private static ChunkedReference reference;

  @BeforeAll
  static void generate() {
    graph = LayerCase.graph(VERTICES, 7);
    try (ThreadTeam team = ThreadTeam.of(1)) {
      Partition whole = Partition.whole(VERTICES);
      Partition chunks = Chunks.of(graph, whole, CHUNKS, 5, team).partition();
      int[] chunkOf = new int[VERTICES];
      Arrays.setAll(chunkOf, chunks::partOf);
      reference = new ChunkedReference(graph, chunkOf);
    }
  }

  @AfterAll
  static void free() {
    graph.close();
  }

  /** No layer narrows: each aggregates what the one before gives, as the reference does. */
  private static LayerCase layers(Compensation compensation) {
    ModelSpec spec = ModelSpec.of(ModelKind.GCN).layers(LAYERS).hidden(4).dropout(0).build();
    var split = LayerCase.split(CHUNKS, compensation, History.DEFAULT);
    return new LayerCase(graph, spec, LayerCase.settings(split).build());
  }

  @Test
  void referenceMeetsFiniteDifferencesWithHistoryHeld() {
    SplittableRandom random = TestSeed.random(this);
    layers(Compensation.NONE)
        .look(run -> {
          Weights weights = Weights.of(run.values());
          double[][][] history = reference.exact(weights).h();
          // History of other parameters, as after some steps.
          for (double[][] layer : history) {
            for (double[] row : layer) {
              Arrays.setAll(row, c -> row[c] + 0.1 * random.nextGaussian());
            }
          }
          int[] order = {2, 0, 3, 1};
          Forward made = reference.forward(weights, order, history);
          Weights gradients = reference.backward(weights, made, order, 1);
          for (int l = 0; l < LAYERS; l++) {
            for (int r = 0; r < weights.w()[l].length; r++) {
              assertDifferences(weights, gradients.w()[l][r], weights.w()[l][r], order, history);
            }
            assertDifferences(weights, gradients.b()[l], weights.b()[l], order, history);
          }
          return 0;
        });
  }

  /** Where a ReLU turns within the step there is no derivative: one side differs from the other. */
  private static void assertDifferences(
      Weights all, double[] gradient, double[] row, int[] order, double[][][] history) {
    double e = 1e-7;
    double here = reference.loss(reference.forward(all, order, history));
    int turning = 0;
    for (int c = 0; c < row.length; c++) {
      double there = row[c];
      row[c] = there + e;
      double up = reference.loss(reference.forward(all, order, history));
      row[c] = there - e;
      double down = reference.loss(reference.forward(all, order, history));
      row[c] = there;
      if (Math.abs((up - here) - (here - down)) / e > 1.5e-6) {
        turning++;
      } else {
        assertThat(gradient[c]).isCloseTo((up - down) / (2 * e), within(1e-6));
      }
    }
    assertThat(turning).isLessThanOrEqualTo(1 + row.length / 4);
  }

  /** Epochs in which history is older than parameters. */
  @ParameterizedTest
  @EnumSource(
      value = Compensation.class,
      names = {"NONE", "DOUBLE"})
  void engineMeetsTheReference(Compensation compensation) {
    layers(compensation)
        .look(run -> {
          double[][][] history = reference.exact(Weights.of(run.values())).h();
          Step step = new Step(5);
          for (int epoch = 1; epoch <= 4; epoch++) {
            Weights weights = Weights.of(run.values());
            run.zeroGradients();
            int _ = run.steps().begin(epoch);
            double loss = run.steps().run(run.team(), step.train(epoch, 0));
            int[] order = run.pipeline().chunks().order(epoch).clone();
            Forward made = reference.forward(weights, order, history);
            assertThat(loss).isCloseTo(reference.loss(made), within(1e-5));
            double factor = compensation == Compensation.DOUBLE ? 2 : 1;
            Weights expected = reference.backward(weights, made, order, factor);
            assertThat(distance(run.gradients(), expected)).isLessThan(1e-5);
            run.model().parameters().all().forEach(ChunkGradientTest::descend);
          }
          return 0;
        });
  }

  private static void descend(Parameter p) {
    Matrix value = p.value();
    for (int r = 0; r < value.rows(); r++) {
      for (int c = 0; c < value.cols(); c++) {
        value.set(r, c, value.get(r, c) - 0.5f * p.grad().get(r, c));
      }
    }
  }

  /** Arcs between chunks are gone back along in one order of two, and then count twice. */
  @Test
  void doubledGradientsAreRightInTheMeanOfAllOrdersForTheTopTwoAggregations() {
    List<int[]> orders = orders();
    assertThat(orders).hasSize(24);
    layers(Compensation.DOUBLE)
        .look(run -> {
          Weights weights = Weights.of(run.values());
          Forward exact = reference.exact(weights);
          Weights full = reference.backward(weights, exact, ChunkedReference.ALL, 1);
          Step step = new Step(5).train(1, 0);
          int _ = run.steps().begin(1);
          run.zeroGradients();
          for (int[] order : orders) {
            run.pipeline().halo().progress().beginEpoch(1);
            run.pipeline().programs().forward(order, step);
            double _ = run.pipeline().programs().backward(order, step);
          }
          List<float[][]> mean = run.gradients();
          mean.forEach(m -> divide(m, orders.size()));
          for (int l = 0; l < LAYERS; l++) {
            double off = distance(mean.get(2 * l), full.w()[l]);
            if (l >= LAYERS - 2) {
              assertThat(off).as("layer %d", l).isLessThan(1e-5);
            } else {
              // Of paths through three chunks one order of six is left, and counts four times.
              assertThat(off).as("layer %d", l).isGreaterThan(1e-3);
            }
          }
          return 0;
        });
  }

  private static void divide(float[][] sums, int by) {
    for (float[] row : sums) {
      for (int c = 0; c < row.length; c++) {
        row[c] /= by;
      }
    }
  }

  private static List<int[]> orders() {
    List<int[]> orders = new ArrayList<>();
    for (int code = 0; code < 256; code++) {
      int[] order = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6};
      if (Arrays.stream(order).distinct().count() == CHUNKS) {
        orders.add(order);
      }
    }
    return orders;
  }

  @Test
  void carriedGradientsBecomeExactWhileParametersStay() {
    layers(Compensation.CARRIED)
        .look(run -> {
          Weights weights = Weights.of(run.values());
          Forward exact = reference.exact(weights);
          Weights full = reference.backward(weights, exact, ChunkedReference.ALL, 1);
          Step step = new Step(5);
          double first = 0;
          for (int epoch = 1; epoch <= 2 * LAYERS; epoch++) {
            run.zeroGradients();
            int _ = run.steps().begin(epoch);
            double _ = run.steps().run(run.team(), step.train(epoch, 0));
            first = epoch == 1 ? distance(run.gradients(), full) : first;
          }
          assertThat(first).isGreaterThan(0.01);
          assertThat(distance(run.gradients(), full)).isLessThan(1e-5);
          return 0;
        });
  }

  private static double distance(List<float[][]> is, Weights should) {
    double furthest = 0;
    for (int l = 0; l < LAYERS; l++) {
      furthest = Math.max(furthest, distance(is.get(2 * l), should.w()[l]));
      double[][] bias = {should.b()[l]};
      furthest = Math.max(furthest, distance(is.get(2 * l + 1), bias));
    }
    return furthest;
  }

  /** The largest difference beside the largest value. */
  private static double distance(float[][] is, double[][] should) {
    double furthest = 0;
    double largest = 1e-3;
    for (int r = 0; r < should.length; r++) {
      for (int c = 0; c < should[0].length; c++) {
        furthest = Math.max(furthest, Math.abs(is[r][c] - should[r][c]));
        largest = Math.max(largest, Math.abs(should[r][c]));
      }
    }
    return furthest / largest;
  }
}
