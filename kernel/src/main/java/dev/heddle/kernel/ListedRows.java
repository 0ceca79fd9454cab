package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/**
 * A loop over listed rows of a matrix that adds up one double each, in a fixed order: every block
 * of the list has its own sum, and the sums are added in order.
 */
final class ListedRows {
  /** What is done with a row; returns its share of the sum. */
  @FunctionalInterface
  interface Body {
    double run(int row);
  }

  private static final int BLOCK = 256;

  private final MemorySegment list;
  private int count;
  private final double[] sums;
  private final Body body;
  private final Task task = this::block;

  private ListedRows(MemorySegment list, int count, Body body) {
    this.list = list;
    this.count = count;
    this.body = body;
    sums = new double[(count + BLOCK - 1) / BLOCK];
  }

  static ListedRows of(Memory memory, int[] rows, Body body) {
    MemorySegment list = memory.allocateInts(rows.length);
    MemorySegment.copy(rows, 0, list, JAVA_INT, 0, rows.length);
    return new ListedRows(list, rows.length, body);
  }

  /** From now on, only the first rows of the list. */
  void first(int rows) {
    if (rows < 0 || (rows + BLOCK - 1) / BLOCK > sums.length) {
      throw new IllegalArgumentException(rows + " rows are more than were listed");
    }
    count = rows;
  }

  double run(ThreadTeam team) {
    int blocks = (count + BLOCK - 1) / BLOCK;
    team.run(blocks, task);
    double total = 0;
    for (int i = 0; i < blocks; i++) {
      total += sums[i];
    }
    return total;
  }

  private void block(int index) {
    double sum = 0;
    int end = Math.min(count, (index + 1) * BLOCK);
    for (int i = index * BLOCK; i < end; i++) {
      sum += body.run(list.getAtIndex(JAVA_INT, i));
    }
    sums[index] = sum;
  }
}
