package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.Graph;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SamplerKind;
import dev.heddle.kernel.Matrix;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.TrainSettings;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sizes near the largest int mean what they say, or are refused. */
class HugeSizesTest {
  private static float[][] trained(Graph graph, SamplerKind kind, int batch) {
    var sampling = new SampleSettings(kind, List.of(3, 3), false, false);
    TrainSettings settings =
        TrainSettings.builder()
            .epochs(2)
            .threads(1)
            .batches(new BatchSettings(batch, sampling))
            .build();
    try (Training training = Training.of(graph, ModelSpec.of(ModelKind.GCN).build(), settings)) {
      assertThat(training.run().epochs().getLast().loss()).isGreaterThan(0);
      return training.predict();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NEIGHBOUR", "SHADOW"})
  void aBatchLargerThanTheTrainingVerticesIsAllOfThem(SamplerKind kind) {
    try (Graph graph = SmallGraph.of(500, 7, 1)) {
      int all = TrainableGraph.split(graph).train().length;
      float[][] expected = trained(graph, kind, all);
      assertThat(trained(graph, kind, Integer.MAX_VALUE)).isDeepEqualTo(expected);
      assertThat(trained(graph, kind, Integer.MAX_VALUE - 1)).isDeepEqualTo(expected);
    }
  }

  @Test
  void aMatrixOfTooManyColumnsIsRefused() {
    assertThatThrownBy(() -> Matrix.bytes(1, Integer.MAX_VALUE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a matrix has at most 2147483632 columns, not 2147483647");
    assertThatThrownBy(() -> Matrix.bytes(Integer.MAX_VALUE, Integer.MAX_VALUE - 15))
        .hasMessageContaining("is too large");
  }
}
