package dev.heddle.graph.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Largest matchings and smallest covers, each of which proves the other. */
class VertexCoverTest {
  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();

  @AfterEach
  void free() {
    memory.close();
  }

  /** Some rows without arcs, some columns without, multi-arcs, a hub on either side. */
  private Csr random(int rows, int cols, double arcsPerRow) {
    int[][] columns = new int[rows][];
    for (int r = 0; r < rows; r++) {
      int n = cols == 0 ? 0 : (int) (random.nextDouble() * (2 * arcsPerRow + 1));
      columns[r] =
          IntStream.range(0, n)
              .map(_ -> random.nextInt(4) == 0 ? 0 : random.nextInt(cols))
              .sorted()
              .toArray();
    }
    if (rows > 0 && cols > 0 && random.nextBoolean()) {
      columns[random.nextInt(rows)] = IntStream.range(0, cols).toArray();
    }
    return Csr.of(memory, cols, columns);
  }

  /** Every set of rows is tried, with the columns that it leaves to be covered. */
  @Test
  void noCoverIsSmaller() {
    for (int round = 0; round < 400; round++) {
      int rows = random.nextInt(10);
      Csr arcs = random(rows, random.nextInt(10), random.nextDouble() * 3);
      int smallest = Integer.MAX_VALUE;
      int mostRows = 0;
      for (int set = 0; set < 1 << rows; set++) {
        int columns = 0;
        for (int r = 0; r < rows; r++) {
          if ((set >> r & 1) == 0) {
            for (long arc = arcs.offset(r); arc < arcs.offset(r + 1); arc++) {
              columns |= 1 << arcs.id(arc);
            }
          }
        }
        int size = Integer.bitCount(set) + Integer.bitCount(columns);
        if (size < smallest) {
          smallest = size;
          mostRows = 0;
        }
        if (size == smallest) {
          mostRows = Math.max(mostRows, Integer.bitCount(set));
        }
      }
      VertexCover cover = VertexCover.of(arcs);
      assertThat(cover.size()).isEqualTo(smallest);
      assertThat(IntStream.range(0, rows).filter(cover::hasRow).count()).isEqualTo(mostRows);
      assertCovers(cover, arcs);
    }
  }

  /** A matching and a cover of the same size: neither can be better. */
  @Test
  void matchingAndCoverAreOfOneSize() {
    for (int round = 0; round < 20; round++) {
      int rows = random.nextInt(1, 3000);
      Csr arcs = random(rows, random.nextInt(1, 3000), random.nextDouble() * 5);
      BipartiteMatching matching = BipartiteMatching.of(arcs);
      int matched = 0;
      for (int r = 0; r < rows; r++) {
        int column = matching.columnOf(r);
        assertThat(matching.isFree(r)).isEqualTo(column < 0);
        if (column >= 0) {
          matched++;
          assertThat(matching.rowOf(column)).isEqualTo(r);
          assertThat(ids(arcs, r).anyMatch(id -> id == column)).isTrue();
        }
      }
      assertThat(matching.size()).isEqualTo(matched);
      VertexCover cover = VertexCover.of(arcs);
      assertThat(cover.size()).isEqualTo(matched);
      assertCovers(cover, arcs);
    }
  }

  /** One path through all rows, which is found only when nothing shorter is. */
  @Test
  void pathsMayBeLong() {
    int n = 200_000;
    int[][] columns = new int[n + 1][];
    Arrays.setAll(columns, r -> r < n ? new int[] {r, r + 1} : new int[] {0});
    BipartiteMatching matching = BipartiteMatching.of(Csr.of(memory, n + 1, columns));
    assertThat(matching.size()).isEqualTo(n + 1);
    assertThat(matching.columnOf(n)).isZero();
    assertThat(matching.columnOf(0)).isEqualTo(1);
  }

  private static void assertCovers(VertexCover cover, Csr arcs) {
    for (int r = 0; r < arcs.rows(); r++) {
      assertThat(cover.hasRow(r) || ids(arcs, r).allMatch(cover::hasColumn)).isTrue();
    }
    long rows = IntStream.range(0, arcs.rows()).filter(cover::hasRow).count();
    long columns = IntStream.range(0, arcs.cols()).filter(cover::hasColumn).count();
    assertThat(rows + columns).isEqualTo(cover.size());
  }

  private static IntStream ids(Csr arcs, int row) {
    return IntStream.range(0, (int) arcs.degree(row)).map(i -> arcs.id(arcs.offset(row) + i));
  }
}
