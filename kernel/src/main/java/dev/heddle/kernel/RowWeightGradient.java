package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/**
 * {@code C += Aᵀ · B} for a small C, the gradient of a linear map's weights, some rows of A and B
 * at a time. Each part has a sum of its own, and the sums are added in order.
 */
public final class RowWeightGradient implements RowWork {
  private final Matrix a;
  private final Matrix b;
  private final Matrix c;
  private final PartialSums partials;
  private int partRows;

  /** A gradient over {@link Product#scratchBytes} of scratch, nobody else's while it runs. */
  public RowWeightGradient(Matrix a, Matrix b, Matrix c, MemorySegment scratch) {
    this.a = a;
    this.b = b;
    this.c = c;
    partials = PartialSums.over(scratch, c.rows(), c.cols());
  }

  /** Native code sees addresses only: nothing else stands between a wrong shape and a crash. */
  @Override
  public void begin(ThreadTeam team, int rows) {
    if (rows > a.rows() || rows > b.rows() || c.rows() != a.cols() || c.cols() != b.cols()) {
      throw new IllegalArgumentException(
          "cannot take AᵀB: %d rows, A %s, B %s, C %s".formatted(rows, a, b, c));
    }
    a.requireAlive();
    b.requireAlive();
    partials.part(0).requireAlive();
    partRows = RowBlocks.partRows(rows);
  }

  @Override
  public void rows(int part, int from, int to) {
    boolean add = from > part * partRows;
    Gemm.kernels().transposeMultiply(to - from, a, from, b, from, partials.part(part), add);
  }

  @Override
  public boolean sums() {
    return true;
  }

  @Override
  public void end(ThreadTeam team, int parts) {
    partials.addTo(team, parts, c);
  }
}
