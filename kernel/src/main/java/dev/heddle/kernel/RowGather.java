package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/**
 * Copies chosen rows of a matrix next to each other: {@code target[i] = source[ids[i]]}. Reused
 * from run to run, it allocates nothing.
 */
public final class RowGather {
  private final RowLoop loop = new RowLoop(this::rows);
  private Matrix source = Matrix.EMPTY;
  private Matrix target = Matrix.EMPTY;
  private RowIds ids = new RowIds(MemorySegment.NULL);

  /** Writes the first {@code count} rows of {@code to}. */
  public void run(Workers workers, Matrix from, RowIds chosen, int count, Matrix to) {
    if (from.cols() != to.cols() || count > to.rows()) {
      throw new IllegalArgumentException(count + " rows of " + from + " do not fit " + to);
    }
    source = from;
    target = to;
    ids = chosen;
    loop.run(workers, count);
  }

  private void rows(int from, int to) {
    long bytes = (long) source.stride() * Float.BYTES;
    for (int row = from; row < to; row++) {
      MemorySegment.copy(
          source.data(), source.offset(ids.at(row)), target.data(), target.offset(row), bytes);
    }
  }
}
