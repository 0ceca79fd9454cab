package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Copies chosen rows of a matrix next to each other: {@code target[i] = source[ids[i]]}. Reused
 * from run to run, it allocates nothing.
 */
public final class RowGather {
  private final RowLoop loop = new RowLoop(this::rows);
  private Matrix source = Matrix.EMPTY;
  private Matrix target = Matrix.EMPTY;
  private RowIds ids = new RowIds(MemorySegment.NULL);
  private int first;

  /** Writes the first {@code count} rows of {@code to}. */
  public void run(ThreadTeam team, Matrix from, RowIds chosen, int count, Matrix to) {
    run(team, from, chosen, 0, count, to);
  }

  /** Writes some rows of {@code to}: from {@code begin} to {@code end} (exclusive). */
  public void run(ThreadTeam team, Matrix from, RowIds chosen, int begin, int end, Matrix to) {
    Objects.checkFromToIndex(begin, end, Integer.MAX_VALUE);
    if (from.cols() != to.cols() || end > to.rows()) {
      throw new IllegalArgumentException(end + " rows of " + from + " do not fit " + to);
    }
    source = from;
    target = to;
    ids = chosen;
    first = begin;
    loop.run(team, end - begin);
  }

  private void rows(int from, int to) {
    long bytes = (long) source.stride() * Float.BYTES;
    for (int row = first + from; row < first + to; row++) {
      MemorySegment.copy(
          source.data(), source.offset(ids.at(row)), target.data(), target.offset(row), bytes);
    }
  }
}
