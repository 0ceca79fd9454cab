package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

/**
 * Zeroes rows of a matrix, as of a gradient that only the first rows had a share in. Allocates
 * nothing.
 */
public final class ZeroRows {
  private final RowLoop loop = new RowLoop(this::rows);
  private Matrix matrix = Matrix.EMPTY;
  private int first;

  /** Rows {@code from} to {@code to} (exclusive), of which there may be none. */
  public void run(ThreadTeam team, Matrix of, int from, int to) {
    matrix = of;
    first = from;
    loop.run(team, Math.max(0, to - from));
  }

  private void rows(int from, int to) {
    long end = matrix.offset(first + to);
    for (long at = matrix.offset(first + from); at < end; at += Long.BYTES) {
      matrix.data().set(JAVA_LONG, at, 0);
    }
  }
}
