package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SamplerKind;
import dev.heddle.kernel.Matrix;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.nn.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Several workers that share batches train as one does, however many batches they load at once. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SeedParallelTest {
  private static final int EPOCHS = 3;

  /** What training came to. */
  private record Trained(List<Double> losses, Scores scores, List<float[][]> parameters) {
    static Trained by(Training training) {
      List<Double> losses = new ArrayList<>();
      for (int epoch = 1; epoch <= EPOCHS; epoch++) {
        losses.add(training.epoch(epoch).loss());
      }
      return new Trained(losses, training.evaluate(), parameters(training));
    }

    private static List<float[][]> parameters(Training training) {
      return training.model().parameters().all().stream()
          .map(Parameter::value)
          .map(Matrix::toArray)
          .toList();
    }

    void assertClose(Trained alone, double tolerance) {
      for (int e = 0; e < EPOCHS; e++) {
        double should = alone.losses.get(e);
        assertThat(losses.get(e)).isCloseTo(should, within(tolerance * Math.abs(should)));
      }
      assertThat(scores.test()).isCloseTo(alone.scores.test(), within(0.03));
    }

    void assertSameBits(Trained other) {
      assertThat(losses).isEqualTo(other.losses);
      assertThat(scores).isEqualTo(other.scores);
      for (int p = 0; p < parameters.size(); p++) {
        assertThat(Arrays.deepEquals(parameters.get(p), other.parameters.get(p))).isTrue();
      }
    }
  }

  static Stream<Arguments> models() {
    List<Arguments> cases = new ArrayList<>();
    for (ModelKind kind : ModelKind.values()) {
      cases.add(Arguments.of(kind, 2 + cases.size() % 3));
    }
    for (int workers : new int[] {2, 3, 4}) {
      cases.add(Arguments.of(ModelKind.SAGE, workers));
      cases.add(Arguments.of(ModelKind.GCN, workers));
    }
    return cases.stream();
  }

  private static ModelSpec spec(ModelKind kind) {
    return ModelSpec.of(kind)
        .layers(2)
        .hidden(8)
        .heads(2)
        .outputHeads(2)
        .propagations(2)
        .dropout(0.3f)
        .attentionDropout(kind.attention() ? 0.2f : 0)
        .norm(NormKind.LAYER)
        .build();
  }

  private static TrainSettings settings(BatchSettings batches) {
    // Small steps without moments: differences of rounding stay as small as they are.
    return TrainSettings.builder()
        .optimizer(OptimizerKind.SGD)
        .learningRate(0.005f)
        .threads(1)
        .seed(3)
        .batches(batches)
        .build();
  }

  private static BatchSettings batches(SplittableRandom random, ModelSpec spec) {
    int fanout = random.nextInt(4) == 0 ? SampleSettings.ALL : 1 + random.nextInt(5);
    SamplerKind kind = random.nextInt(4) == 0 ? SamplerKind.LABOR : SamplerKind.NEIGHBOUR;
    boolean replace = kind == SamplerKind.NEIGHBOUR && random.nextInt(4) == 0;
    var sampling =
        new SampleSettings(kind, Collections.nCopies(spec.hops(), fanout), replace, false);
    return BatchSettings.of(1 + random.nextInt(30), sampling).withAhead(random.nextBoolean());
  }

  private static Trained alone(Graph graph, ModelSpec spec, TrainSettings settings) {
    try (Training training = Training.of(graph, spec, settings)) {
      return Trained.by(training);
    }
  }

  private static List<Trained> together(
      Graph graph, Partition owners, ModelSpec spec, TrainSettings settings) {
    Trained[] all = new Trained[owners.parts()];
    LocalWorkers.run(
        owners.parts(),
        GroupSettings.DEFAULT,
        group -> {
          try (Training training = Training.of(graph, spec, settings, new Team(group, owners))) {
            all[group.rank()] = Trained.by(training);
          }
        });
    return List.of(all);
  }

  @ParameterizedTest
  @MethodSource("models")
  void trainsLikeOneWorker(ModelKind kind, int workers) {
    SplittableRandom random = TestSeed.random(this);
    ModelSpec spec = spec(kind);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), workers);
      TrainSettings settings =
          settings(batches(random, spec))
              .withFetch(FetchSettings.DEFAULT.withMacrobatch(random.nextInt(9)));
      Trained alone = alone(graph, spec, settings);
      List<Trained> together = together(graph, owners, spec, settings);
      for (Trained each : together) {
        each.assertClose(alone, kind == ModelKind.GIN ? 1e-4 : 1e-5);
        each.assertSameBits(together.getFirst());
      }
    }
  }

  /** How many batches are loaded at once changes nothing. */
  @Test
  void macrobatchesChangeNoBit() {
    SplittableRandom random = TestSeed.random(this);
    for (ModelKind kind : new ModelKind[] {ModelKind.SAGE, ModelKind.GCN, ModelKind.GAT}) {
      ModelSpec spec = spec(kind);
      try (Graph graph = ParallelCase.randomGraph(random, false)) {
        Partition owners = ParallelCase.randomOwners(random, graph.vertices(), 3);
        var sampling = new SampleSettings(SamplerKind.NEIGHBOUR, List.of(4, 3), false, false);
        BatchSettings batches = BatchSettings.of(3, sampling);
        List<Trained> all = new ArrayList<>();
        for (int macrobatch : new int[] {1, 4, 16}) {
          for (boolean ahead : new boolean[] {false, true}) {
            TrainSettings settings =
                settings(batches.withAhead(ahead))
                    .withFetch(FetchSettings.DEFAULT.withMacrobatch(macrobatch));
            all.addAll(together(graph, owners, spec, settings));
          }
        }
        all.forEach(one -> one.assertSameBits(all.getFirst()));
      }
    }
  }

  @Test
  void refusesWhatCannotWork() {
    SplittableRandom random = TestSeed.random(this);
    var sampling = SampleSettings.neighbours(2, 2);
    TrainSettings settings = settings(BatchSettings.of(8, sampling));
    try (Graph dense = ParallelCase.randomGraph(random, false);
        Graph sparse = ParallelCase.randomGraph(random, true)) {
      Partition owners = ParallelCase.randomOwners(random, dense.vertices(), 2);
      ModelSpec normed = ModelSpec.of(ModelKind.SAGE).layers(2).norm(NormKind.BATCH).build();
      assertThatThrownBy(() -> together(dense, owners, normed, settings))
          .hasMessageContaining("norm batch needs all rows");
      assertThatThrownBy(() -> together(sparse, owners, spec(ModelKind.SAGE), settings))
          .hasMessageContaining("dense features");
      var cluster = new SampleSettings(SamplerKind.CLUSTER, List.of(), false, false);
      TrainSettings parts = settings(BatchSettings.of(8, cluster));
      assertThatThrownBy(() -> together(dense, owners, spec(ModelKind.SAGE), parts))
          .hasMessageContaining("cluster sampler needs all arcs");
    }
  }
}
