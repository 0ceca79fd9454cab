package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.Graph;
import dev.heddle.nn.LearningRate;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.nn.Safetensors;
import dev.heddle.nn.SafetensorsWriter;
import dev.heddle.train.run.CheckpointException;
import dev.heddle.train.run.Checkpoints;
import dev.heddle.train.run.EpochReport;
import dev.heddle.train.run.Scores;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.OptimizerKind;
import dev.heddle.train.settings.TrainSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class CheckpointTest {
  private static Graph graph;

  @TempDir private Path folder;

  @BeforeAll
  static void generate() {
    graph = SmallGraph.of(300, 6, 3);
  }

  @AfterAll
  static void free() {
    graph.close();
  }

  /** A model and how it is trained. */
  record Case(ModelKind kind, OptimizerKind optimizer, LearningRate rate, int patience) {}

  static Stream<Case> cases() {
    LearningRate cosine = new LearningRate.Cosine(0.02f, 0, 14, 3);
    LearningRate step = new LearningRate.Step(0.02f, 4, 0.5f);
    return Stream.of(
        new Case(ModelKind.GCN, OptimizerKind.ADAM, cosine, 0),
        new Case(ModelKind.SAGE, OptimizerKind.ADAMW, step, 4),
        new Case(ModelKind.GAT, OptimizerKind.SGD, cosine, 3),
        new Case(ModelKind.GCNII, OptimizerKind.ADAM, step, 5),
        new Case(ModelKind.MLP, OptimizerKind.SGD, new LearningRate.Constant(0.05f), 2));
  }

  private static ModelSpec.Builder model(ModelKind kind) {
    return ModelSpec.of(kind)
        .hidden(8)
        .heads(2)
        .dropout(0.4f)
        .inputDropout(0.2f)
        .attentionDropout(0.3f)
        .norm(NormKind.BATCH);
  }

  private static TrainSettings.Builder settings(Case c) {
    return TrainSettings.builder()
        .epochs(14)
        .optimizer(c.optimizer())
        .learningRate(c.rate())
        .patience(c.patience())
        .weightDecay(1e-3f)
        .clipNorm(1)
        .threads(1)
        .seed(5);
  }

  private Checkpoints every(int epochs) {
    return new Checkpoints(folder, epochs, 2, _ -> {});
  }

  @ParameterizedTest
  @MethodSource("cases")
  void resumedRunsComeToTheSameBits(Case c) {
    Outcome straight;
    try (Training training = Training.of(graph, model(c.kind()).build(), settings(c).build())) {
      straight = Outcome.of(training, training.run());
    }
    // Stopped over and over: after one epoch, after three more, and so on.
    for (int stopAfter = 1; ; stopAfter += 3) {
      try (Training training = Training.of(graph, model(c.kind()).build(), settings(c).build())) {
        training.checkpoints(every(2));
        int last = training.resume().size() + stopAfter;
        training.onEpoch(report -> {
          if (report.epoch() == last) {
            training.stop();
          }
        });
        TrainResult result = training.run();
        if (!training.stopped()) {
          assertThat(Outcome.of(training, result)).isEqualTo(straight);
          return;
        }
      }
    }
  }

  /** What a run came to, bit by bit. */
  private record Outcome(
      int bestEpoch, Scores scores, List<Double> losses, Map<String, String> state) {
    static Outcome of(Training training, TrainResult result) {
      Map<String, String> bits = new TreeMap<>();
      training
          .model()
          .parameters()
          .state()
          .forEach((name, m) -> bits.put(name, Arrays.deepToString(m.toArray())));
      List<Double> losses = result.epochs().stream().map(EpochReport::loss).toList();
      return new Outcome(result.bestEpoch(), result.scores(), losses, bits);
    }
  }

  @Test
  void everyFlippedByteIsNoticed() throws IOException {
    ModelSpec tiny = ModelSpec.of(ModelKind.SGC).layers(1).build();
    try (Training training = Training.of(graph, tiny, brief().build())) {
      training.checkpoints(every(1)).run();
    }
    Path file = onlyFile(1);
    byte[] whole = Files.readAllBytes(file);
    try (Training training = Training.of(graph, tiny, brief().build())) {
      training.checkpoints(every(1));
      List<Integer> missed = new ArrayList<>();
      for (int i = 0; i < whole.length; i++) {
        byte[] damaged = whole.clone();
        damaged[i] ^= (byte) (1 << (i % 8));
        Files.write(file, damaged);
        if (resumes(training)) {
          missed.add(i);
        }
      }
      assertThat(missed).as("of " + whole.length + " bytes").isEmpty();
      for (int length = 0; length < whole.length; length += 97) {
        Files.write(file, Arrays.copyOf(whole, length));
        assertThat(resumes(training)).as("cut to " + length).isFalse();
      }
      Files.write(file, whole);
      assertThat(resumes(training)).isTrue();
    }
  }

  private static boolean resumes(Training training) {
    try {
      training.resume();
      return true;
    } catch (CheckpointException e) {
      return false;
    }
  }

  private static TrainSettings.Builder brief() {
    return TrainSettings.builder().epochs(1).threads(1);
  }

  private Path onlyFile(int epoch) {
    return folder.resolve("epoch-%06d.safetensors".formatted(epoch));
  }

  @Test
  void aDamagedCheckpointIsPassedOverAndLeftoversAreRemoved() throws IOException {
    ModelSpec spec = model(ModelKind.GCN).build();
    try (Training training = Training.of(graph, spec, brief().epochs(9).build())) {
      training.checkpoints(new Checkpoints(folder, 2, 3, _ -> {})).run();
    }
    assertThat(folder.toFile().list())
        .containsExactlyInAnyOrder(
            "epoch-000006.safetensors", "epoch-000008.safetensors", "epoch-000009.safetensors");
    Files.write(onlyFile(9), new byte[100]);
    Files.write(folder.resolve("epoch-000010.safetensors.1-2.tmp"), new byte[10]);
    List<String> warnings = new ArrayList<>();
    try (Training training = Training.of(graph, spec, brief().epochs(9).build())) {
      training.checkpoints(new Checkpoints(folder, 2, 3, warnings::add));
      assertThat(training.resume()).hasSize(8);
    }
    assertThat(warnings).singleElement().asString().contains("epoch-000009");
    assertThat(folder.toFile().list()).noneMatch(name -> name.endsWith(".tmp"));
  }

  /** Ways in which the run that goes on is not the one that was stopped. */
  enum Other {
    MODEL("is of a run with kind gcn, not sage"),
    WIDTH("is of a run with hidden 8, not 16"),
    SEED("is of a run with seed 0, not 1"),
    OPTIMIZER("is of a run with optimizer adam, not sgd"),
    RATE("is of a run with rate Constant[rate=0.01], not Constant[rate=0.02]"),
    GRAPH("is of another graph"),
    FORMAT("is of format 7, but this Heddle reads format 1"),
    NO_CHECKPOINT("is no checkpoint");

    final String message;

    Other(String message) {
      this.message = message;
    }
  }

  @ParameterizedTest
  @EnumSource
  void anotherRunIsRefused(Other other) {
    try (Training training = Training.of(graph, model(ModelKind.GCN).build(), brief().build())) {
      training.checkpoints(every(1)).run();
    }
    ModelSpec spec =
        model(other == Other.MODEL ? ModelKind.SAGE : ModelKind.GCN)
            .hidden(other == Other.WIDTH ? 16 : 8)
            .build();
    TrainSettings settings =
        brief()
            .seed(other == Other.SEED ? 1 : 0)
            .optimizer(other == Other.OPTIMIZER ? OptimizerKind.SGD : OptimizerKind.ADAM)
            .learningRate(other == Other.RATE ? 0.02f : 0.01f)
            .build();
    if (other == Other.FORMAT) {
      rewrite("heddle.checkpoint", "7");
    } else if (other == Other.NO_CHECKPOINT) {
      new SafetensorsWriter().checksummed().add("x", new int[1]).write(onlyFile(1));
    }
    try (Graph another = SmallGraph.of(300, 6, 4);
        Training training = Training.of(other == Other.GRAPH ? another : graph, spec, settings)) {
      training.checkpoints(every(1));
      assertThatThrownBy(training::resume)
          .isInstanceOf(CheckpointException.class)
          .hasMessageContaining(other.message)
          .message()
          .doesNotContain("\n");
    }
  }

  private void rewrite(String key, String value) {
    SafetensorsWriter writer = new SafetensorsWriter();
    try (Safetensors saved = Safetensors.open(onlyFile(1))) {
      saved.metadata().forEach(writer::metadata);
    }
    writer.checksummed().metadata(key, value).write(onlyFile(1));
  }

  @Test
  void moreMemoryThanAllowedIsRefusedBeforeItIsTaken() {
    ModelSpec wide = ModelSpec.of(ModelKind.GCN).hidden(1 << 20).build();
    TrainSettings settings = brief().memoryLimit(1 << 20).build();
    assertThatThrownBy(() -> Training.of(graph, wide, settings).close())
        .hasMessageContaining("of memory or more, but may take 1.0 MB");
  }

  @Test
  void aBatchNormsStatisticsBelongToTheModel() {
    try (Training training = Training.of(graph, model(ModelKind.GCN).build(), brief().build())) {
      assertThat(training.model().parameters().state())
          .containsKeys("layer0.norm.mean", "layer0.norm.variance");
    }
  }
}
