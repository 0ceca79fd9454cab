package dev.heddle.kernel;

/**
 * Rows of a matrix that lies in a file larger than memory, of which some are needed at a time. Told
 * beforehand which, the system reads them side by side; touched one after another, each would be
 * waited for.
 */
public final class PagedRows {
  /** Pages between two rows up to which they are asked for together. */
  private static final int NEAR = 2 * 4096;

  private final Matrix matrix;

  private PagedRows(Matrix matrix) {
    this.matrix = matrix;
  }

  /** From now on, what is not asked for is not read along. */
  public static PagedRows of(Matrix matrix) {
    PageAdvice.RANDOM.give(matrix.data().address(), matrix.data().byteSize());
    return new PagedRows(matrix);
  }

  /** Begins to read some rows, best in ascending order. */
  public void expect(RowIds rows, int count) {
    long base = matrix.data().address();
    long bytes = (long) matrix.cols() * Float.BYTES;
    long from = -1;
    long to = -1;
    for (int i = 0; i < count; i++) {
      long at = base + matrix.offset(rows.at(i));
      if (from >= 0 && (at < from || at > to + NEAR)) {
        PageAdvice.SOON.give(from, to - from);
        from = at;
      }
      from = from < 0 ? at : from;
      to = at + bytes;
    }
    if (from >= 0) {
      PageAdvice.SOON.give(from, to - from);
    }
  }
}
