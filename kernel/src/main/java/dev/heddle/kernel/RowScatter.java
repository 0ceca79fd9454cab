package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Adds multiples of rows that lie next to each other to chosen rows of a matrix: {@code
 * target[ids[i]] += factor · source[i]}, the adjoint of {@link RowGather}. No row may be chosen
 * twice. Reused from run to run, it allocates nothing.
 */
public final class RowScatter {
  private final RowLoop loop = new RowLoop(this::rows);
  private Matrix source = Matrix.EMPTY;
  private Matrix target = Matrix.EMPTY;
  private RowIds ids = new RowIds(MemorySegment.NULL);
  private float factor;
  private int first;

  /** Adds rows {@code begin} to {@code end} (exclusive) of {@code from}. */
  public void run(
      ThreadTeam team, Matrix from, RowIds chosen, int begin, int end, float times, Matrix to) {
    Objects.checkFromToIndex(begin, end, from.rows());
    if (from.cols() != to.cols()) {
      throw new IllegalArgumentException("rows of " + from + " cannot be added to " + to);
    }
    source = from;
    target = to;
    ids = chosen;
    factor = times;
    first = begin;
    loop.run(team, end - begin);
  }

  private void rows(int from, int to) {
    Kernels.rows().scatter(this, first + from, first + to);
  }

  Matrix source() {
    return source;
  }

  Matrix target() {
    return target;
  }

  RowIds ids() {
    return ids;
  }

  float factor() {
    return factor;
  }
}
