package dev.heddle.kernel;

/**
 * A sum over rows for every column, the same for any number of threads: rows are cut into at most
 * {@link RowBlocks#MAX_PARTS} parts, whose partial sums are added in order.
 */
final class ColumnReduction {
  /**
   * Adds rows {@code from} to {@code to} to row {@code part} of the partial sums, which are zero.
   */
  @FunctionalInterface
  interface Body {
    void run(int from, int to, Matrix partials, int part);
  }

  private final Body body;
  private final Matrix partials;
  private final Task task = this::part;
  private int rows;

  private ColumnReduction(Body body, Matrix partials) {
    this.body = body;
    this.partials = partials;
  }

  static ColumnReduction allocate(Memory memory, int cols, Body body) {
    return new ColumnReduction(body, Matrix.allocate(memory, RowBlocks.MAX_PARTS, cols));
  }

  /** Adds the sums over {@code count} rows to the one row of {@code out}. */
  void addTo(ThreadTeam team, int count, Matrix out) {
    rows = count;
    int parts = RowBlocks.parts(count);
    partials.data().fill((byte) 0);
    team.run(parts, task);
    Kernels.columns().sum(partials, 0, parts, out, 0);
  }

  private void part(int index) {
    int size = RowBlocks.partRows(rows);
    int from = index * size;
    body.run(from, from + Math.min(size, rows - from), partials, index);
  }
}
