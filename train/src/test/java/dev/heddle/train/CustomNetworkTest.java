package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.kernel.Activation;
import dev.heddle.nn.CustomNetwork;
import dev.heddle.nn.GcnConv;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.Section;
import dev.heddle.train.run.Checkpoints;
import dev.heddle.train.run.EpochReport;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A network that is written through the public API is trained like those that are built in. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CustomNetworkTest {
  private static final int HIDDEN = 16;

  /** What the built-in GCN of two layers computes. */
  private static final CustomNetwork OWN_GCN = gcn("own-gcn");

  private static final ModelSpec BUILT_IN = ModelSpec.of(ModelKind.GCN).hidden(HIDDEN).build();

  private static Graph graph;

  @TempDir private Path folder;

  private static CustomNetwork gcn(String name) {
    return CustomNetwork.of(
            name,
            2,
            (parameters, shape) -> {
              GcnConv first = new GcnConv(parameters.under("layer0"), shape.features(), HIDDEN);
              GcnConv second = new GcnConv(parameters.under("layer1"), HIDDEN, shape.outputs());
              return List.of(
                  Section.of((r, hop, x) ->
                      r.epilogue(first.record(r, hop, x), null, Activation.RELU, 0.5f)),
                  Section.of(second));
            })
        .withSelfLoops()
        .summing(Normalisation.SYMMETRIC);
  }

  @BeforeAll
  static void generate() {
    graph = SmallGraph.of(300, 12, 3);
  }

  @AfterAll
  static void free() {
    graph.close();
  }

  private static TrainSettings.Builder settings(int epochs) {
    return TrainSettings.builder().epochs(epochs).threads(1).seed(1);
  }

  @Test
  void oneWorkerTrainsItToTheBitsOfTheBuiltInOne() {
    assertThat(alone(ModelSpec.of(OWN_GCN))).isDeepEqualTo(alone(BUILT_IN));
  }

  private static float[][] alone(ModelSpec spec) {
    try (Training training = Training.of(graph, spec, settings(10).build())) {
      TrainResult _ = training.run();
      return training.predict();
    }
  }

  @Test
  void twoWorkersTrainItToTheBitsOfTheBuiltInOne() {
    assertThat(together(ModelSpec.of(OWN_GCN))).isDeepEqualTo(together(BUILT_IN));
  }

  private static float[][] together(ModelSpec spec) {
    int[] owner = IntStream.range(0, graph.vertices()).map(v -> v % 2).toArray();
    float[][][] predicted = new float[2][][];
    LocalWorkers.run(
        2,
        GroupSettings.DEFAULT,
        group -> {
          try (Training training =
              Training.of(graph, spec, settings(10).build(), group, Partition.of(2, owner))) {
            TrainResult _ = training.run();
            predicted[group.rank()] = training.predict();
          }
        });
    assertThat(predicted[1]).isDeepEqualTo(predicted[0]);
    return predicted[0];
  }

  @Test
  void batchesTrainIt() {
    TrainSettings.Builder settings = settings(20).learningRate(0.02f);
    settings.batches(new BatchSettings(64, SampleSettings.neighbours(5, 5)));
    try (Training training = Training.of(graph, ModelSpec.of(OWN_GCN), settings.build())) {
      TrainResult result = training.run();
      assertThat(result.loss()).isLessThan(result.epochs().getFirst().loss() / 2);
    }
  }

  @Test
  void whatIsSavedIsReadWhereTheNetworkIsGivenAgain() {
    Path file = folder.resolve("own.safetensors");
    float[][] expected;
    try (Training training = Training.of(graph, ModelSpec.of(OWN_GCN), settings(3).build())) {
      TrainResult _ = training.run();
      expected = training.predict();
      training.save(file);
    }
    Inference.Options options = Inference.Options.DEFAULT;
    try (Inference saved = Inference.of(graph, file, gcn("own-gcn"), options)) {
      assertThat(saved.outputs().toArray()).isDeepEqualTo(expected);
    }
    assertThatThrownBy(() -> Inference.of(graph, file, options))
        .hasMessageContaining(
            "holds weights of the network 'own-gcn', which is written in Java: only a program that"
                + " has it can read them");
    assertThatThrownBy(() -> Inference.of(graph, file, gcn("another"), options))
        .hasMessageContaining("holds weights of own-gcn, not of another");
  }

  @Test
  void resumedRunsComeToTheSameBits() {
    List<EpochReport> straight;
    try (Training training = Training.of(graph, ModelSpec.of(OWN_GCN), settings(8).build())) {
      straight = training.run().epochs();
    }
    try (Training training = Training.of(graph, ModelSpec.of(OWN_GCN), settings(8).build())) {
      training.checkpoints(checkpoints());
      training.onEpoch(report -> {
        if (report.epoch() == 3) {
          training.stop();
        }
      });
      TrainResult _ = training.run();
    }
    try (Training training =
        Training.of(graph, ModelSpec.of(gcn("own-gcn")), settings(8).build())) {
      training.checkpoints(checkpoints());
      assertThat(training.resume()).hasSize(3);
      List<EpochReport> resumed = training.run().epochs();
      assertThat(resumed.stream().map(EpochReport::loss))
          .containsExactlyElementsOf(straight.stream().map(EpochReport::loss).toList());
    }
    try (Training training =
        Training.of(graph, ModelSpec.of(gcn("another")), settings(8).build())) {
      training.checkpoints(checkpoints());
      assertThatThrownBy(training::resume)
          .hasMessageContaining("is of a run with name own-gcn, not another");
    }
  }

  private Checkpoints checkpoints() {
    return new Checkpoints(folder, 1, 2, _ -> {});
  }

  @Test
  void whatItSaysOfItselfMustBeSo() {
    CustomNetwork oneHop = CustomNetwork.of("wrong-hops", 1, OWN_GCN.maker());
    assertRefused(oneHop, "the sections of wrong-hops take 2 hops, not 1");
    CustomNetwork narrow =
        CustomNetwork.of(
            "too-narrow",
            1,
            (parameters, shape) ->
                List.of(Section.of(new GcnConv(parameters, shape.features(), 3))));
    assertRefused(narrow, "too-narrow makes 3 columns, not 4");
  }

  private static void assertRefused(CustomNetwork network, String message) {
    assertThatThrownBy(() -> Training.of(graph, ModelSpec.of(network), settings(1).build()).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
