package dev.heddle.train;

import static dev.heddle.train.SeedParallelCase.settings;
import static dev.heddle.train.SeedParallelCase.spec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SamplerKind;
import dev.heddle.kernel.Matrix;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.Parameter;
import dev.heddle.train.SeedParallelCase.Trained;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.BatchSplit;
import dev.heddle.train.settings.FetchSettings;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Workers that compute every batch together train as one does. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SplitBatchTest {
  private static BatchSettings batches(SplittableRandom random, ModelSpec spec) {
    int fanout = random.nextInt(4) == 0 ? SampleSettings.ALL : 1 + random.nextInt(5);
    SamplerKind kind = random.nextInt(4) == 0 ? SamplerKind.LABOR : SamplerKind.NEIGHBOUR;
    boolean replace = kind == SamplerKind.NEIGHBOUR && random.nextInt(4) == 0;
    var sampling =
        new SampleSettings(kind, Collections.nCopies(spec.hops(), fanout), replace, false);
    return BatchSettings.of(1 + random.nextInt(30), sampling)
        .withAhead(random.nextBoolean())
        .withSplit(new BatchSplit());
  }

  @ParameterizedTest
  @EnumSource
  void everyModelTrainsLikeOneWorker(ModelKind kind) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    int workers = 2 + random.nextInt(3);
    try (Graph graph = ParallelCase.randomGraph(random, random.nextInt(3) == 0)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), workers);
      var shared = new SeedParallelCase(graph, owners, spec);
      TrainSettings settings =
          settings(batches(random, spec))
              .withFetch(FetchSettings.DEFAULT.withMacrobatch(random.nextInt(9)));
      Trained alone = shared.alone(settings);
      List<Trained> together = shared.together(settings);
      for (Trained each : together) {
        each.assertClose(alone, kind == ModelKind.GIN ? 1e-4 : 1e-5);
        each.assertSameBits(together.getFirst());
      }
    }
  }

  static Stream<Arguments> sizes() {
    List<Arguments> cases = new ArrayList<>();
    for (ModelKind kind : List.of(ModelKind.SAGE, ModelKind.GCN, ModelKind.GAT)) {
      for (int workers : new int[] {1, 2, 4, 7}) {
        cases.add(Arguments.of(kind, workers));
      }
    }
    return cases.stream();
  }

  /** T-G1: gradients of all parameters, of which those of the last step of an epoch are there. */
  @ParameterizedTest
  @MethodSource("sizes")
  void gradientsAreThoseOfOneWorker(ModelKind kind, int workers) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), workers);
      var shared = new SeedParallelCase(graph, owners, spec);
      TrainSettings settings = settings(batches(random, spec));
      List<List<float[][]>> should;
      try (Training alone = Training.of(graph, spec, settings)) {
        should = gradients(alone);
      }
      for (List<List<float[][]>> is : shared.each(settings, SplitBatchTest::gradients)) {
        for (int epoch = 0; epoch < should.size(); epoch++) {
          assertClose(is.get(epoch), should.get(epoch));
        }
      }
    }
  }

  private static List<List<float[][]>> gradients(Training training) {
    List<List<float[][]>> all = new ArrayList<>();
    for (int epoch = 1; epoch <= 2; epoch++) {
      var _ = training.epoch(epoch);
      all.add(
          training.model().parameters().all().stream()
              .map(Parameter::grad)
              .map(Matrix::toArray)
              .toList());
    }
    return all;
  }

  private static void assertClose(List<float[][]> is, List<float[][]> should) {
    double all = should.stream().mapToDouble(SplitBatchTest::largest).max().orElse(0);
    assertThat(all).isPositive();
    for (int p = 0; p < should.size(); p++) {
      double scale = Math.max(0.1 * all, largest(should.get(p)));
      for (int r = 0; r < should.get(p).length; r++) {
        for (int c = 0; c < should.get(p)[r].length; c++) {
          double apart = Math.abs(is.get(p)[r][c] - should.get(p)[r][c]);
          assertThat(apart).as("parameter %d, %d, %d", p, r, c).isLessThan(1e-5 * scale);
        }
      }
    }
  }

  private static double largest(float[][] matrix) {
    double largest = 0;
    for (float[] row : matrix) {
      for (float g : row) {
        largest = Math.max(largest, Math.abs(g));
      }
    }
    return largest;
  }
}
