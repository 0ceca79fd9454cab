package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/**
 * Copies the first rows of a matrix to chosen places, the transpose of {@link RowGather}: {@code
 * target[ids[i]] = source[i]}, no place twice. Reused from run to run, it allocates nothing.
 */
public final class RowPut {
  private final RowLoop loop = new RowLoop(this::rows);
  private Matrix source = Matrix.EMPTY;
  private Matrix target = Matrix.EMPTY;
  private RowIds ids = new RowIds(MemorySegment.NULL);

  /** Writes {@code count} rows of {@code to}; the others stay. */
  public void run(ThreadTeam team, Matrix from, int count, RowIds places, Matrix to) {
    if (from.cols() != to.cols() || count > from.rows()) {
      throw new IllegalArgumentException(count + " rows of " + from + " do not fit " + to);
    }
    source = from;
    target = to;
    ids = places;
    loop.run(team, count);
  }

  private void rows(int from, int to) {
    long bytes = (long) source.stride() * Float.BYTES;
    for (int row = from; row < to; row++) {
      MemorySegment.copy(
          source.data(), source.offset(row), target.data(), target.offset(ids.at(row)), bytes);
    }
  }
}
