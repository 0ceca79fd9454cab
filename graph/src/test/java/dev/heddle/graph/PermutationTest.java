package dev.heddle.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.ArcTable.Arc;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PermutationTest {
  private final Memory memory = new Memory();
  private final SplittableRandom random = TestSeed.random(this);

  @AfterEach
  void close() {
    memory.close();
  }

  private Permutation randomOrder(int n) {
    return Permutation.of(RandomOrder.of(n, random.nextLong()));
  }

  @Test
  void bothWaysAreInverse() {
    Permutation order = randomOrder(50);
    Permutation next = randomOrder(50);
    Permutation both = order.then(next);
    assertThat(order.size()).isEqualTo(50);
    for (int v = 0; v < 50; v++) {
      assertThat(order.newOf(order.oldOf(v))).isEqualTo(v);
      assertThat(order.oldOf(order.newOf(v))).isEqualTo(v);
      assertThat(both.newOf(v)).isEqualTo(next.newOf(order.newOf(v)));
      assertThat(Permutation.identity(50).oldOf(v)).isEqualTo(v);
    }
  }

  @Test
  void everyPlaceIsTakenOnce() {
    for (int[] wrong : new int[][] {{0, 0}, {1, 2}, {-1, 0}}) {
      assertThatThrownBy(() -> Permutation.of(wrong)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void arcsAreRenumberedAtBothEnds() {
    for (int vertices : new int[] {1, 7, 80}) {
      for (boolean weighted : new boolean[] {true, false}) {
        List<Arc> arcs = ArcTable.random(random, vertices, 4 * vertices);
        Csr csr = ArcTable.list(memory, arcs, weighted).toCsr(memory, vertices, Set.of());
        Permutation order = randomOrder(vertices);
        List<Arc> expected =
            ArcTable.of(csr).stream()
                .map(
                    a -> new Arc(order.newOf(a.source()), order.newOf(a.destination()), a.weight()))
                .toList();
        assertThat(ArcTable.of(order.arcs(memory, csr))).isEqualTo(ArcTable.sorted(expected));
      }
    }
  }

  @Test
  void rowsMove() {
    Permutation order = Permutation.of(new int[] {2, 0, 1});
    Matrix matrix = Matrix.of(memory, new float[][] {{0}, {1}, {2}});
    assertThat(order.rows(memory, matrix).toArray()).isDeepEqualTo(new float[][] {{2}, {0}, {1}});
    Csr csr = Csr.of(memory, 9, new int[][] {{3, 8}, {}, {5}});
    assertThat(ArcTable.of(order.rows(memory, csr)))
        .containsExactly(new Arc(5, 0, 1), new Arc(3, 1, 1), new Arc(8, 1, 1));
  }
}
