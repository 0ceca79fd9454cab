package dev.heddle.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FeaturesTest {
  private final Memory memory = new Memory();

  @AfterEach
  void close() {
    memory.close();
  }

  @Test
  void denseRowsAreDividedByTheirSumsUnlessThoseAreSmall() {
    float[][] values = {{1, 3, 0}, {0, 0, 0}, {0.25f, 0.25f, 0}, {-2, 1, 0}};
    DenseFeatures features = new DenseFeatures(Matrix.of(memory, values));
    DenseFeatures normalised = features.rowNormalised(memory);
    assertThat(normalised.matrix().toArray())
        .isDeepEqualTo(new float[][] {{0.25f, 0.75f, 0}, {0, 0, 0}, {0.25f, 0.25f, 0}, {-2, 1, 0}});
    assertThat(features.matrix().toArray()).isDeepEqualTo(values);
    assertThat(normalised.rows()).isEqualTo(4);
    assertThat(normalised.width()).isEqualTo(3);
  }

  @Test
  void sparseRowsAreTheSameInBothDirections() {
    Csr rows = Csr.of(memory, 4, new int[][] {{0, 3}, {}, {1}});
    var values = memory.allocateFloats(3);
    values.setAtIndex(ValueLayout.JAVA_FLOAT, 0, 1);
    values.setAtIndex(ValueLayout.JAVA_FLOAT, 1, 7);
    values.setAtIndex(ValueLayout.JAVA_FLOAT, 2, 0.5f);
    SparseFeatures features = SparseFeatures.of(memory, rows.withWeights(values));
    assertThat(features.rows()).isEqualTo(3);
    assertThat(features.width()).isEqualTo(4);
    SparseFeatures normalised = features.rowNormalised(memory);
    assertThat(ArcTable.of(normalised.byRow()))
        .containsExactly(
            new ArcTable.Arc(0, 0, 0.125f),
            new ArcTable.Arc(3, 0, 0.875f),
            new ArcTable.Arc(1, 2, 0.5f));
    assertThat(ArcTable.of(normalised.byColumn()))
        .containsExactly(
            new ArcTable.Arc(0, 0, 0.125f),
            new ArcTable.Arc(2, 1, 0.5f),
            new ArcTable.Arc(0, 3, 0.875f));
    assertThat(features.byRow().weight(1)).isEqualTo(7);
    assertThatThrownBy(() -> SparseFeatures.of(memory, rows))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
