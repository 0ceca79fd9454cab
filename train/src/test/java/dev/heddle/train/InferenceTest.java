package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.nn.Safetensors;
import dev.heddle.nn.SafetensorsWriter;
import dev.heddle.train.run.Task;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A model that was saved says what it said before. */
class InferenceTest {
  private static Graph graph;

  @TempDir private Path folder;

  @BeforeAll
  static void generate() {
    graph = SmallGraph.of(500, 7, 1);
  }

  @AfterAll
  static void free() {
    graph.close();
  }

  @ParameterizedTest
  @EnumSource
  void aSavedModelSaysTheSameBitByBit(ModelKind kind) {
    ModelSpec spec =
        ModelSpec.of(kind)
            .hidden(8)
            .heads(2)
            .outputHeads(2)
            .propagations(2)
            .dropout(0.4f)
            .inputDropout(0.1f)
            .norm(NormKind.BATCH)
            .epsilon(0.5f)
            .build();
    TrainSettings settings = TrainSettings.builder().epochs(4).threads(2).build();
    Path file = folder.resolve("model.safetensors");
    try (Training training = Training.of(graph, spec, settings)) {
      TrainResult result = training.run();
      training.save(file);
      float[][] expected = training.predict();
      try (Inference inference = Inference.of(graph, file, new Inference.Options(1, 1 << 30))) {
        assertThat(inference.outputs().toArray()).isDeepEqualTo(expected);
        assertThat(inference.evaluate()).isEqualTo(result.scores());
        assertThat(inference.task()).isEqualTo(Task.CLASSES);
      }
    }
  }

  @Test
  void depthDoesNotCostMemory() {
    assertThat(bytes(12) - bytes(6)).isLessThan(6 * 64_000);
  }

  /** What inference takes for so many layers: rows of 500 × 64 would be 128,000 bytes each. */
  private long bytes(int layers) {
    Path file = folder.resolve(layers + ".safetensors");
    ModelSpec spec = ModelSpec.of(ModelKind.GCN).layers(layers).hidden(64).build();
    try (Training training =
        Training.of(graph, spec, TrainSettings.builder().epochs(1).threads(1).build())) {
      training.save(file);
    }
    try (Inference inference = Inference.of(graph, file, Inference.Options.DEFAULT)) {
      assertThat(inference.outputs().rows()).isEqualTo(500);
      assertThat(inference.space().files()).isFalse();
      return inference.memoryBytes();
    }
  }

  @Test
  void aGraphOfOtherFeaturesIsRefused() {
    Path file = folder.resolve("model.safetensors");
    try (Training training =
        Training.of(
            graph,
            ModelSpec.of(ModelKind.GCN).build(),
            TrainSettings.builder().epochs(1).build())) {
      training.save(file);
    }
    try (Graph other = SmallGraph.of(100, 9, 1)) {
      assertThatThrownBy(() -> Inference.of(other, file, Inference.Options.DEFAULT))
          .hasMessageContaining("wants features of width 7");
    }
  }

  @Test
  void aFileWithoutASchemaLoadsAndSaysWhatItLacks() {
    Path file = folder.resolve("new.safetensors");
    Path old = folder.resolve("old.safetensors");
    TrainSettings settings = TrainSettings.builder().epochs(2).threads(1).build();
    try (Training training = Training.of(graph, ModelSpec.of(ModelKind.GCN).build(), settings)) {
      training.run();
      training.save(file);
    }
    withoutSchema(file, old);
    var options = new Inference.Options(1, 1 << 30);
    try (Inference one = Inference.of(graph, file, options);
        Inference other = Inference.of(graph, old, options)) {
      assertThat(other.outputs().toArray()).isDeepEqualTo(one.outputs().toArray());
      assertThat(other.evaluate()).isEqualTo(one.evaluate());
      assertThat(one.warnings()).isEmpty();
      assertThat(other.warnings()).hasSize(1);
      assertThat(other.warnings().getFirst()).contains("does not say what it was trained on");
    }
  }

  private static void withoutSchema(Path from, Path to) {
    SafetensorsWriter writer = new SafetensorsWriter().checksummed();
    try (Memory memory = new Memory();
        Safetensors saved = Safetensors.open(from)) {
      saved
          .metadata()
          .forEach((key, value) -> {
            if (!key.equals("heddle.schema") && !key.equals("heddle.crc32c")) {
              writer.metadata(key, value);
            }
          });
      saved.tensors().keySet().forEach(name -> writer.add(name, saved.matrix(memory, name)));
      writer.write(to);
    }
  }
}
