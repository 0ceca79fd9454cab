package dev.heddle.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.ArcTable.Arc;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SelfLoopsTest {
  private final Memory memory = new Memory();
  private final SplittableRandom random = TestSeed.random(this);

  @AfterEach
  void close() {
    memory.close();
  }

  @Test
  void everyVertexHasOneLoopOfTheLastWeight() {
    for (int vertices : new int[] {1, 2, 9, 120}) {
      for (boolean weighted : new boolean[] {true, false}) {
        List<Arc> arcs = ArcTable.random(random, vertices, 6 * vertices);
        Csr csr = ArcTable.list(memory, arcs, weighted).toCsr(memory, vertices, Set.of());
        Csr looped = SelfLoops.added(memory, csr);
        assertThat(ArcTable.of(looped)).isEqualTo(expected(ArcTable.of(csr), vertices));
        assertThat(looped.weights() == null).isEqualTo(!weighted);
      }
    }
  }

  private static List<Arc> expected(List<Arc> arcs, int vertices) {
    List<Arc> result = new ArrayList<>();
    for (int v = 0; v < vertices; v++) {
      int vertex = v;
      float weight =
          arcs.stream()
              .filter(a -> a.loop() && a.source() == vertex)
              .map(Arc::weight)
              .reduce(1f, (_, last) -> last);
      result.add(new Arc(v, v, weight));
    }
    arcs.stream().filter(a -> !a.loop()).forEach(result::add);
    return ArcTable.sorted(result);
  }

  @Test
  void aGraphWithoutArcsGetsLoopsOnly() {
    Csr looped = SelfLoops.added(memory, Csr.of(memory, 3, new int[3][0]));
    assertThat(ArcTable.of(looped))
        .containsExactly(new Arc(0, 0, 1), new Arc(1, 1, 1), new Arc(2, 2, 1));
  }

  @Test
  void destinationsMayBeTheFirstOfMoreSources() {
    Csr looped = SelfLoops.added(memory, Csr.of(memory, 4, new int[][] {{3}, {0, 1}}));
    assertThat(ArcTable.of(looped))
        .containsExactly(new Arc(0, 0, 1), new Arc(3, 0, 1), new Arc(0, 1, 1), new Arc(1, 1, 1));
    assertThatThrownBy(() -> SelfLoops.added(memory, Csr.of(memory, 1, new int[][] {{0}, {0}})))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("among the sources");
  }
}
