package dev.heddle.kernel;

/**
 * How loops over rows are cut into tasks: by the number of rows alone, never by the number of
 * threads, so that sums keep their order.
 */
final class RowBlocks {
  /** Rows of a task that writes each row by itself. */
  static final int ROWS = 512;

  /**
   * No reduction over rows has more partial results than this: as many threads can share it, and
   * each result of a wide layer's weights is a quarter of a megabyte.
   */
  static final int MAX_PARTS = 32;

  private RowBlocks() {}

  /** Tasks of {@link #ROWS} rows. */
  static int tasks(int rows) {
    return (rows + ROWS - 1) / ROWS;
  }

  /** Rows that go into one partial result of a reduction. */
  static int partRows(int rows) {
    int even = (rows + MAX_PARTS - 1) / MAX_PARTS;
    return Math.max(ROWS, (even + 7) / 8 * 8);
  }

  /** Partial results of a reduction: at most {@link #MAX_PARTS}. */
  static int parts(int rows) {
    int size = partRows(rows);
    return (int) (((long) rows + size - 1) / size);
  }
}
