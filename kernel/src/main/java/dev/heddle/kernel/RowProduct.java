package dev.heddle.kernel;

/** {@code C = A · B} or {@code C += A · B} of a small B, some rows of A and C at a time. */
public final class RowProduct implements RowWork {
  private final Matrix a;
  private final Matrix b;
  private final Matrix c;
  private final boolean add;

  public RowProduct(Matrix a, Matrix b, Matrix c, boolean add) {
    this.a = a;
    this.b = b;
    this.c = c;
    this.add = add;
  }

  /** Native code sees addresses only: nothing else stands between a wrong shape and a crash. */
  @Override
  public void begin(ThreadTeam team, int rows) {
    if (rows > a.rows() || rows > c.rows() || a.cols() != b.rows() || c.cols() != b.cols()) {
      throw new IllegalArgumentException(
          "cannot take AB: %d rows, A %s, B %s, C %s".formatted(rows, a, b, c));
    }
    a.requireAlive();
    b.requireAlive();
    c.requireAlive();
  }

  @Override
  public void rows(int part, int from, int to) {
    Gemm.kernels().multiply(to - from, a, from, b, c, from, add);
  }
}
