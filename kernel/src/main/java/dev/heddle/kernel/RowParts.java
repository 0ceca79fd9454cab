package dev.heddle.kernel;

/**
 * Rows of a {@link Csr} in at most {@link RowBlocks#MAX_PARTS} parts of about equal work, for loops
 * that gather rows, multiply them and add up something small per part.
 *
 * <p>The cut depends on the arcs alone, never on the number of threads.
 *
 * @param bounds part {@code p} has rows {@code bounds[p]} to {@code bounds[p + 1]} (exclusive)
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared, never handed out.
record RowParts(int[] bounds) {
  /** Multiplying a row costs about as much as gathering this many. */
  private static final int ROW_COST = 16;

  static RowParts of(Csr csr) {
    ArcTasks tasks = csr.tasks();
    long hubArcs = 0;
    for (int h = 0; h < tasks.hubs(); h++) {
      hubArcs += csr.degree(tasks.hub(h));
    }
    long cost = csr.arcs() - hubArcs + (long) ROW_COST * csr.rows();
    int parts = Math.clamp(cost / (ROW_COST * RowBlocks.ROWS), 1, RowBlocks.MAX_PARTS);
    int[] bounds = new int[parts + 1];
    long done = 0;
    int part = 1;
    for (int row = 0, hub = 0; row < csr.rows(); row++) {
      boolean isHub = hub < tasks.hubs() && tasks.hub(hub) == row;
      hub += isHub ? 1 : 0;
      done += ROW_COST + (isHub ? 0 : csr.degree(row));
      while (part < parts && done >= cost * part / parts) {
        bounds[part++] = row + 1;
      }
    }
    bounds[parts] = csr.rows();
    return new RowParts(bounds);
  }

  int count() {
    return bounds.length - 1;
  }

  int first(int part) {
    return bounds[part];
  }

  int end(int part) {
    return bounds[part + 1];
  }
}
