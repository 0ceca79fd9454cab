package dev.heddle.graph;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArcTypesTest {
  @Test
  void goWithTheirArcsWhenVerticesAreReordered() {
    Memory memory = new Memory();
    Csr in = Csr.of(memory, 4, new int[][] {{1, 2, 3}, {0}, {0, 0, 3}, {1}});
    ArcTypes types = ArcTypes.allocate(memory, in.arcs(), List.of("a", "b", "c"));
    int[] values = {0, 1, 2, 2, 1, 0, 2, 1};
    for (int arc = 0; arc < values.length; arc++) {
      types.set(arc, values[arc]);
    }
    try (Graph graph = Graph.builder(memory, "typed", in).arcTypes(types).build();
        Graph moved = graph.reordered(Permutation.of(new int[] {2, 0, 3, 1}))) {
      ArcTypes of = requireNonNull(moved.arcTypes());
      assertThat(of.counts()).containsExactly(2, 3, 3);
      // By destination 2, 0, 3, 1; sources 0, 0, 3 are now 1, 1, 2.
      int[] expected = {1, 0, 2, 1, 2, 0, 1, 2};
      // Of vertex 0, sources 1, 2, 3 are now 3, 0, 2: in the new order 2, 3, 1.
      for (int arc = 0; arc < expected.length; arc++) {
        assertThat(of.at(arc)).as("arc %d", arc).isEqualTo(expected[arc]);
      }
    }
  }

  @Test
  void mustFitTheArcs() {
    try (Memory memory = new Memory()) {
      Csr in = Csr.of(memory, 2, new int[][] {{1}, {0}});
      ArcTypes types = ArcTypes.allocate(memory, 3, List.of("a"));
      assertThatThrownBy(() -> Graph.builder(memory, "typed", in).arcTypes(types).build())
          .hasMessage("types of 3 arcs do not fit a graph of 2");
      assertThatThrownBy(() -> types.set(0, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }
}
