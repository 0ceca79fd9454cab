package dev.heddle.graph;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import org.junit.jupiter.api.Test;

class GraphTest {
  private static Csr triangle(Memory memory) {
    return Csr.of(memory, 3, new int[][] {{1, 2}, {0, 2}, {0, 1}});
  }

  @Test
  void everythingMovesWithItsVertex() {
    Memory memory = new Memory();
    Csr sparse =
        Csr.of(memory, 2, new int[][] {{0}, {1}, {}}).withWeights(memory.allocateFloats(2));
    Labels[] labels = {
      ClassLabels.of(memory, new int[] {0, 1, -1}, 2),
      new MultiLabels(Matrix.of(memory, new float[][] {{0, 0}, {0, 1}, {1, 1}})),
      new RealLabels(Matrix.of(memory, new float[][] {{0}, {1}, {2}}))
    };
    Permutation order = Permutation.of(new int[] {2, 0, 1});
    try (Graph dense =
            Graph.builder(memory, "dense", triangle(memory))
                .features(new DenseFeatures(Matrix.of(memory, new float[][] {{0}, {1}, {2}})))
                .split(new Split(new int[] {1}, new int[] {0, 2}, new int[0]))
                .build();
        Graph moved = dense.reordered(order)) {
      assertThat(moved.name()).isEqualTo("dense");
      assertThat(((DenseFeatures) requireNonNull(moved.features())).matrix().toArray())
          .isDeepEqualTo(new float[][] {{2}, {0}, {1}});
      Split split = requireNonNull(moved.split());
      assertThat(split.train()).containsExactly(2);
      assertThat(split.valid()).containsExactly(0, 1);
      assertThat(split.test()).isEmpty();
      for (int v = 0; v < 3; v++) {
        assertThat(moved.userIndex(v)).isEqualTo(order.oldOf(v));
        assertThat(moved.localIndex(moved.userIndex(v))).isEqualTo(v);
        assertThat(dense.userIndex(v)).isEqualTo(v);
      }
      for (Labels kind : labels) {
        Graph.Builder builder =
            Graph.builder(memory, "sparse", triangle(memory))
                .features(SparseFeatures.of(memory, sparse))
                .labels(kind);
        try (Graph other = builder.build().reordered(order)) {
          SparseFeatures features = (SparseFeatures) requireNonNull(other.features());
          assertThat(features.byRow().degree(0)).isZero();
          assertThat(features.byRow().id(0)).isZero();
          assertThat(features.byColumn().id(1)).isEqualTo(2);
          checkMoved(requireNonNull(other.labels()));
        }
      }
    }
  }

  private static void checkMoved(Labels labels) {
    switch (labels) {
      case ClassLabels classes -> {
        assertThat(classes.at(0)).isEqualTo(-1);
        assertThat(classes.at(1)).isEqualTo(0);
        assertThat(classes.at(2)).isEqualTo(1);
      }
      case MultiLabels multi ->
          assertThat(multi.values().toArray())
              .isDeepEqualTo(new float[][] {{1, 1}, {0, 0}, {0, 1}});
      case RealLabels real ->
          assertThat(real.values().toArray()).isDeepEqualTo(new float[][] {{2}, {0}, {1}});
    }
  }

  @Test
  void partsThatDoNotFitAreRefused() {
    try (Memory memory = new Memory()) {
      Graph.Builder builder = Graph.builder(memory, "g", triangle(memory));
      builder.features(new DenseFeatures(Matrix.allocate(memory, 2, 1)));
      assertThatThrownBy(builder::build)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("features of 2 vertices do not fit a graph of 3");
      builder.features(null).labels(ClassLabels.of(memory, new int[4], 1));
      assertThatThrownBy(builder::build).hasMessage("labels of 4 vertices do not fit a graph of 3");
      Csr wide = Csr.of(memory, 2, new int[][] {{1}});
      assertThatThrownBy(() -> Graph.builder(memory, "g", wide).build())
          .hasMessageContaining("square");
    }
  }

  @Test
  void closingFreesTheMemory() {
    Memory memory = new Memory();
    Graph graph = Graph.builder(memory, "g", triangle(memory)).build();
    graph.close();
    assertThatThrownBy(graph::arcs).isInstanceOf(IllegalStateException.class);
  }
}
