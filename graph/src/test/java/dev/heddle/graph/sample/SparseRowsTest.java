package dev.heddle.graph.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.SparseFeatures;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.ThreadTeam;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SparseRowsTest {
  private static final int VERTICES = 200;

  private final Memory memory = new Memory();
  private final SplittableRandom random = RandomArcs.random(this);

  @AfterEach
  void close() {
    memory.close();
  }

  @Test
  void haveTheFeaturesOfTheirVerticesByRowAndByColumn() {
    Csr arcs = RandomArcs.of(memory, random, VERTICES, true);
    Csr byRow = RandomArcs.weighted(memory, random, arcs);
    SparseFeatures whole = SparseFeatures.of(memory, byRow);
    int stayed = 0;
    try (Memory own = memory.child();
        ThreadTeam team = ThreadTeam.of(2)) {
      SparseRows rows = new SparseRows(whole, team, own);
      for (int i = 0; i < 20; i++) {
        SparseFeatures before = rows.features();
        long allocations = own.allocations();
        int[] vertices = RandomArcs.seeds(random, VERTICES, 1 + random.nextInt(VERTICES));
        rows.fetch(RowIds.of(memory, vertices), vertices.length);
        assertRows(rows.features(), byRow, vertices);
        if (i > 0 && own.allocations() == allocations) {
          assertThat(rows.features()).isSameAs(before);
          stayed++;
        }
      }
    }
    assertThat(stayed).isPositive();
  }

  private static void assertRows(SparseFeatures features, Csr whole, int[] vertices) {
    assertThat(features.rows()).isEqualTo(vertices.length);
    assertThat(features.width()).isEqualTo(whole.cols());
    Csr byColumn = features.byColumn();
    assertThat(byColumn.rows()).isEqualTo(whole.cols());
    assertThat(byColumn.arcs()).isEqualTo(features.byRow().arcs());
    for (int row = 0; row < vertices.length; row++) {
      assertThat(sums(features.byRow(), row)).isEqualTo(sums(whole, vertices[row]));
    }
    for (int col = 0; col < byColumn.rows(); col++) {
      for (long arc = byColumn.offset(col); arc < byColumn.offset(col + 1); arc++) {
        assertThat(sums(whole, vertices[byColumn.id(arc)])).containsKey(col);
      }
    }
  }

  /** The values of a row by column. */
  private static Map<Integer, Float> sums(Csr csr, int row) {
    Map<Integer, Float> sums = new HashMap<>();
    for (long arc = csr.offset(row); arc < csr.offset(row + 1); arc++) {
      sums.merge(csr.id(arc), csr.weight(arc), Float::sum);
    }
    return sums;
  }
}
