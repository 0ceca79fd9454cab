package dev.heddle.train.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.train.Inference;
import dev.heddle.train.Training;
import dev.heddle.train.run.Checkpoints;
import dev.heddle.train.run.EpochReport;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.LayerSplit.Compensation;
import dev.heddle.train.settings.LayerSplit.History;
import dev.heddle.train.settings.LayerSplit.Initial;
import dev.heddle.train.settings.OptimizerKind;
import dev.heddle.train.settings.TrainSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs of stages from the beginning to the end: checkpoints, early stopping, whole model files. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LayerTrainingTest {
  private static final int VERTICES = 300;

  private static Graph graph;

  @TempDir private @Nullable Path folder;

  @BeforeAll
  static void generate() {
    graph = LayerCase.graph(VERTICES, 3);
  }

  @AfterAll
  static void free() {
    graph.close();
  }

  private Path folder(String name) {
    return Objects.requireNonNull(folder).resolve(name);
  }

  private static final ModelSpec MODEL =
      ModelSpec.of(ModelKind.GCNII).layers(6).hidden(8).dropout(0.3f).norm(NormKind.LAYER).build();

  private static LayerSplit split(int stages, Compensation compensation) {
    return new LayerSplit(stages, 1, 4, compensation, new History(4, 0));
  }

  /** Where nothing is summed over stages, where the model is cut changes no bit. */
  private static LayerSplit sent(int stages) {
    return split(stages, Compensation.CARRIED).withInitial(Initial.SENT);
  }

  private static TrainSettings.Builder settings(LayerSplit split, int epochs) {
    return TrainSettings.builder()
        .optimizer(OptimizerKind.ADAM)
        .learningRate(0.01f)
        .epochs(epochs)
        .seed(2)
        .threads(1)
        .evaluateEvery(2)
        .knobs(Knobs.DEFAULT.withLayers(split));
  }

  /** What a run came to. */
  @SuppressWarnings("ArrayRecordComponent") // Compared element by element.
  private record Ended(List<Double> losses, TrainResult result, float[][] outputs) {
    void assertSame(Ended other) {
      assertThat(losses).isEqualTo(other.losses);
      assertThat(result.scores()).isEqualTo(other.result.scores());
      assertThat(Arrays.deepEquals(outputs, other.outputs)).isTrue();
    }
  }

  /** Runs with a thread for each worker, who all do what the first does. */
  private static Ended run(TrainSettings settings, Consumer<Training> before) {
    LayerSplit split = Objects.requireNonNull(settings.layers());
    List<Ended> ended = Collections.synchronizedList(new ArrayList<>());
    LocalWorkers.run(
        split.workers(),
        GroupSettings.DEFAULT,
        group -> {
          try (Training training =
              Training.of(graph, MODEL, settings, group, Partition.whole(VERTICES))) {
            before.accept(training);
            TrainResult result = training.run();
            List<Double> losses = result.epochs().stream().map(EpochReport::loss).toList();
            float[][] outputs = training.predict();
            ended.add(new Ended(losses, result, outputs));
          }
        });
    ended.forEach(e -> e.assertSame(ended.getFirst()));
    return ended.getFirst();
  }

  private Checkpoints checkpoints(String name) {
    return new Checkpoints(folder(name), 3, 2, _ -> {});
  }

  @ParameterizedTest
  @EnumSource
  void goesOnWithTheBitsOfARunWithoutAPause(Compensation compensation) throws IOException {
    Ended whole = run(settings(split(3, compensation), 9).build(), _ -> {});
    String name = compensation.label();
    Ended _ =
        run(settings(split(3, compensation), 6).build(), t -> t.checkpoints(checkpoints(name)));
    try (Stream<Path> files = Files.list(folder(name))) {
      assertThat(files.filter(f -> f.getFileName().toString().startsWith("epoch-000006")))
          .hasSize(4);
    }
    Ended resumed =
        run(
            settings(split(3, compensation), 9).build(),
            t -> {
              t.checkpoints(checkpoints(name));
              assertThat(t.resume()).hasSize(6);
            });
    resumed.assertSame(whole);
  }

  /** Rows are named by section: they are found wherever the model is cut. */
  @Test
  void goesOnWithOtherStages() {
    Ended whole = run(settings(sent(2), 9).build(), _ -> {});
    Ended _ = run(settings(sent(4), 6).build(), t -> t.checkpoints(checkpoints("a")));
    Ended resumed =
        run(
            settings(sent(3), 9).build(),
            t -> {
              t.checkpoints(checkpoints("a"));
              assertThat(t.resume()).hasSize(6);
            });
    resumed.assertSame(whole);
  }

  /** A checkpoint without its rows is good enough, and says so. */
  @Test
  void withoutRowsHistoryIsMadeAnew() throws IOException {
    Ended _ =
        run(
            settings(split(2, Compensation.NONE), 6).build(),
            t -> t.checkpoints(checkpoints("lost")));
    Files.delete(folder("lost").resolve("epoch-000006.rows-1-0.safetensors"));
    List<String> warned = Collections.synchronizedList(new ArrayList<>());
    Ended resumed =
        run(
            settings(split(2, Compensation.NONE), 9).build(),
            t -> {
              t.checkpoints(new Checkpoints(folder("lost"), 0, 9, warned::add));
              assertThat(t.resume()).hasSize(6);
            });
    assertThat(resumed.losses).hasSize(9).allMatch(Double::isFinite);
    assertThat(warned).singleElement().asString().contains("made anew");
  }

  /** Checkpoints that are removed take the rows beside them along. */
  @Test
  void keepsNoMoreThanItShould() throws IOException {
    Ended _ =
        run(
            settings(split(2, Compensation.NONE), 12).build(),
            t -> t.checkpoints(checkpoints("few")));
    try (Stream<Path> files = Files.list(folder("few"))) {
      assertThat(files.map(f -> f.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "epoch-000009.safetensors",
              "epoch-000009.rows-0-0.safetensors",
              "epoch-000009.rows-1-0.safetensors",
              "epoch-000012.safetensors",
              "epoch-000012.rows-0-0.safetensors",
              "epoch-000012.rows-1-0.safetensors");
    }
  }

  @Test
  void otherChunksAreAnotherRun() {
    Ended _ =
        run(
            settings(split(2, Compensation.NONE), 3).build(),
            t -> t.checkpoints(checkpoints("other")));
    var others = new LayerSplit(2, 1, 5, Compensation.NONE, new History(4, 0));
    assertThatThrownBy(() ->
            run(
                settings(others, 6).build(),
                t -> {
                  t.checkpoints(checkpoints("other"));
                  List<EpochReport> _ = t.resume();
                }))
        .rootCause()
        .hasMessageContaining("is of a run with layers");
  }

  /** The first worker has the whole model when training has ended. */
  @Test
  void theModelFileIsWhole() {
    Path file = folder("model.safetensors");
    List<float[][]> saved = new ArrayList<>();
    LocalWorkers.run(
        3,
        GroupSettings.DEFAULT,
        group -> {
          TrainSettings settings = settings(split(3, Compensation.NONE), 4).patience(3).build();
          try (Training training =
              Training.of(graph, MODEL, settings, group, Partition.whole(VERTICES))) {
            TrainResult _ = training.run();
            float[][] outputs = training.predict();
            if (group.rank() == 0) {
              training.save(file);
              saved.add(outputs);
            }
          }
        });
    try (Inference inference = Inference.of(graph, file, Inference.Options.DEFAULT)) {
      float[][] outputs = inference.outputs().toArray();
      for (int v = 0; v < VERTICES; v++) {
        assertThat(outputs[v]).containsExactly(saved.getFirst()[v], within(1e-4f));
      }
    }
  }
}
