package dev.heddle.train.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.train.Inference;
import dev.heddle.train.Training;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A pass in less memory than its values take comes to the bits of one that has enough. */
@Timeout(300)
class ForwardPassTest {
  private static final int VERTICES = 6000;
  private static final int WIDTH = 96;

  /** Half of it is for sums: less than the features, and than any hidden layer. */
  private static final long LITTLE = 3L << 20;

  private static Graph graph;

  @TempDir private Path folder;

  @BeforeAll
  static void generate() {
    try (ThreadTeam team = ThreadTeam.of(2)) {
      graph =
          CommunityGraph.of(VERTICES)
              .averageDegree(6)
              .communities(8)
              .classes(5)
              .width(WIDTH)
              .seed(3)
              .generate(team);
    }
  }

  @AfterAll
  static void free() {
    graph.close();
  }

  private Path model(ModelKind kind, NormKind norm) {
    ModelSpec spec =
        ModelSpec.of(kind)
            .hidden(WIDTH)
            .layers(3)
            .heads(2)
            .propagations(2)
            .dropout(0.2f)
            .norm(norm)
            .residual(kind == ModelKind.SAGE || kind == ModelKind.GAT)
            .build();
    Path file = folder.resolve(kind + "-" + norm + ".safetensors");
    TrainSettings settings = TrainSettings.builder().epochs(1).threads(2).build();
    try (Training training = Training.of(graph, spec, settings)) {
      training.run();
      training.save(file);
    }
    return file;
  }

  private Inference in(long memory, boolean gathers, Path file) {
    var place = new ForwardPass.Place(folder, gathers);
    return Inference.of(graph, file, new Inference.Options(2, memory, place));
  }

  @ParameterizedTest
  @EnumSource
  void everyLayerOfEveryModelIsTheSameBitByBit(ModelKind kind) {
    NormKind norm = kind.selfLoops() ? NormKind.BATCH : NormKind.LAYER;
    Path file = model(kind, norm);
    try (Inference enough = in(1L << 30, false, file);
        Inference through = in(LITTLE, false, file);
        Inference gathered = in(LITTLE, true, file)) {
      for (int layer = enough.layers(); layer >= 1; layer--) {
        float[][] expected = enough.layer(layer).toArray();
        assertThat(enough.space().files()).isFalse();
        assertSame(through.layer(layer).toArray(), expected);
        // What one layer of an MLP comes to may fit.
        assertThat(through.space().files()).isEqualTo(enough.space().bytes() > LITTLE);
        assertThat(through.memoryBytes()).isLessThanOrEqualTo(LITTLE);
        assertSame(gathered.layer(layer).toArray(), expected);
      }
      assertSame(through.outputs().toArray(), enough.outputs().toArray());
    }
  }

  private static void assertSame(float[][] actual, float[][] expected) {
    assertThat(Arrays.deepEquals(actual, expected)).isTrue();
  }

  @Test
  void whatDoesNotFitIsRefusedBeforeItIsTaken() {
    Path file = model(ModelKind.GCN, NormKind.NONE);
    var options = new Inference.Options(2, LITTLE);
    try (Inference inference = Inference.of(graph, file, options)) {
      assertThatThrownBy(inference::outputs)
          .hasMessageMatching("running the model .* needs .* MB of memory or more.*--scratch.*");
      assertThatThrownBy(() -> inference.layer(0)).hasMessageContaining("layers 1 to 3");
      assertThatThrownBy(() -> inference.layer(4)).hasMessageContaining("there is no layer 4");
    }
    try (Inference inference = in(1 << 20, false, file)) {
      assertThatThrownBy(inference::outputs).hasMessageContaining("that is the least");
    }
  }
}
