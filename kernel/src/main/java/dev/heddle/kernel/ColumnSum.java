package dev.heddle.kernel;

/** Adds the sum of a matrix's rows to a row: the gradient of a bias. */
public final class ColumnSum {
  /** Rows that are made at once: few enough to be in the cache still when they are summed. */
  private static final int CHUNK = 128;

  private static final RowLoop.Body THERE = (_, _) -> {};

  private final ColumnReduction reduction;
  private RowLoop.Body maker = THERE;
  private Matrix x = Matrix.EMPTY;

  /** Bytes of memory that a sum of so many columns takes. */
  public static long bytes(int cols) {
    return Matrix.bytes(RowBlocks.MAX_PARTS, cols);
  }

  public ColumnSum(Memory memory, int cols) {
    reduction = ColumnReduction.allocate(memory, cols, this::rows);
  }

  /** {@code out += Σ_r x[r]} over the first {@code rows} rows. */
  public void addTo(ThreadTeam team, int rows, Matrix source, Matrix out) {
    addTo(team, rows, source, out, THERE);
  }

  /** Adds column sums of rows that are made as they are summed: one pass, not two. */
  void addTo(ThreadTeam team, int rows, Matrix source, Matrix out, RowLoop.Body rowMaker) {
    x = source;
    maker = rowMaker;
    reduction.addTo(team, rows, out);
  }

  private void rows(int from, int to, Matrix partials, int part) {
    for (int row = from; row < to; row += CHUNK) {
      int end = Math.min(to, row + CHUNK);
      maker.run(row, end);
      Kernels.columns().sum(x, row, end, partials, part);
    }
  }
}
