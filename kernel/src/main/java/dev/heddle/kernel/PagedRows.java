package dev.heddle.kernel;

/**
 * Rows of a matrix that lies in a file larger than memory, of which some are needed at a time. Told
 * beforehand which, the system reads them side by side; touched one after another, each would be
 * waited for.
 */
public final class PagedRows {
  /** Pages between two rows up to which they are asked for together. */
  private static final int NEAR = 2 * 4096;

  /**
   * Rows that are announced at a time, each at a page or two. All of a round of batches would be
   * gigabytes, and where there is less room, pages go again before they are touched.
   */
  private static final int STRETCH = 2048;

  private final Matrix matrix;

  private PagedRows(Matrix matrix) {
    this.matrix = matrix;
  }

  /** From now on, what is not asked for is not read along. */
  public static PagedRows of(Matrix matrix) {
    PageAdvice.RANDOM.give(matrix.data().address(), matrix.data().byteSize());
    return new PagedRows(matrix);
  }

  /**
   * Rows are worked on a stretch at a time, each being read while the one before is worked on. Of a
   * list, best in ascending order, this is where the stretch ends that begins at {@code from}.
   */
  public int stretch(RowIds rows, int from, int count) {
    int end = Math.min(count - from, STRETCH) + from;
    int next = Math.min(count - end, STRETCH) + end;
    expect(rows, from == 0 ? 0 : end, next);
    return end;
  }

  private void expect(RowIds rows, int first, int end) {
    long base = matrix.data().address();
    long bytes = (long) matrix.cols() * Float.BYTES;
    long from = -1;
    long to = -1;
    for (int i = first; i < end; i++) {
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
