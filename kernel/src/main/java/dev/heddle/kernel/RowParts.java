package dev.heddle.kernel;

/**
 * Rows of a {@link Csr} in at most {@link RowBlocks#MAX_PARTS} parts of about equal work, for loops
 * that gather rows, multiply them and add up something small per part.
 *
 * <p>The cut depends on the arcs alone, never on the number of threads. It is made anew when they
 * change, in the same memory.
 */
final class RowParts {
  /** Multiplying a row costs about as much as gathering this many. */
  private static final int ROW_COST = 16;

  private final Csr csr;

  /** Part {@code p} has rows {@code bounds[p]} to {@code bounds[p + 1]} (exclusive). */
  private final int[] bounds = new int[RowBlocks.MAX_PARTS + 1];

  private int count;
  private int version;

  private RowParts(Csr csr) {
    this.csr = csr;
    cut();
  }

  static RowParts of(Csr csr) {
    return new RowParts(csr);
  }

  /** Cuts anew if the arcs have changed. */
  void refresh() {
    if (version != csr.version()) {
      cut();
    }
  }

  private void cut() {
    version = csr.version();
    ArcTasks tasks = csr.tasks();
    long hubArcs = 0;
    for (int h = 0; h < tasks.hubs(); h++) {
      hubArcs += csr.degree(tasks.hub(h));
    }
    long cost = csr.arcs() - hubArcs + (long) ROW_COST * csr.rows();
    count = Math.clamp(cost / (ROW_COST * RowBlocks.ROWS), 1, RowBlocks.MAX_PARTS);
    long done = 0;
    int part = 1;
    for (int row = 0, hub = 0; row < csr.rows(); row++) {
      boolean isHub = hub < tasks.hubs() && tasks.hub(hub) == row;
      hub += isHub ? 1 : 0;
      done += ROW_COST + (isHub ? 0 : csr.degree(row));
      while (part < count && done >= cost * part / count) {
        bounds[part++] = row + 1;
      }
    }
    while (part <= count) {
      bounds[part++] = csr.rows();
    }
  }

  int count() {
    return count;
  }

  int first(int part) {
    return bounds[part];
  }

  int end(int part) {
    return bounds[part + 1];
  }
}
