package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Task;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Makes offsets of rows from how much each row has, all threads at once. */
final class RowOffsets {
  /** How much a row has. */
  @FunctionalInterface
  interface Size {
    int of(int row);
  }

  static final int ROWS = 512;

  private final ThreadTeam team;
  private final Size size;
  private final Task countTask = this::count;
  private final Task sumTask = this::sum;
  private MemorySegment offsets = MemorySegment.NULL;
  private int rows;
  private long[] sums = new long[16];

  RowOffsets(ThreadTeam team, Size size) {
    this.team = team;
    this.size = size;
  }

  /** How many tasks of {@link #ROWS} rows there are. */
  static int blocks(int rows) {
    return (rows + ROWS - 1) / ROWS;
  }

  static int end(int block, int rows) {
    return Math.min(rows, (block + 1) * ROWS);
  }

  /** Writes {@code count + 1} longs; returns the last. */
  long write(int count, MemorySegment into) {
    offsets = into;
    rows = count;
    offsets.setAtIndex(JAVA_LONG, 0, 0);
    int blocks = blocks(count);
    if (sums.length < blocks) {
      sums = Arrays.copyOf(sums, blocks + blocks / 4);
    }
    team.run(blocks, countTask);
    long total = 0;
    for (int block = 0; block < blocks; block++) {
      long own = sums[block];
      sums[block] = total;
      total += own;
    }
    team.run(blocks, sumTask);
    return total;
  }

  private void count(int block) {
    long sum = 0;
    for (int row = block * ROWS, end = end(block, rows); row < end; row++) {
      int own = size.of(row);
      offsets.setAtIndex(JAVA_LONG, row + 1L, own);
      sum += own;
    }
    sums[block] = sum;
  }

  private void sum(int block) {
    long next = sums[block];
    for (int row = block * ROWS, end = end(block, rows); row < end; row++) {
      next += offsets.getAtIndex(JAVA_LONG, row + 1L);
      offsets.setAtIndex(JAVA_LONG, row + 1L, next);
    }
  }
}
