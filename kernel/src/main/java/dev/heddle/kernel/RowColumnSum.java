package dev.heddle.kernel;

/**
 * {@code out += Σ_r x[r]}, the gradient of a bias, some rows at a time. Each part has a sum of its
 * own, and the sums are added in order.
 */
public final class RowColumnSum implements RowWork {
  private final Matrix x;
  private final Matrix out;
  private final Matrix partials;

  public RowColumnSum(Memory memory, Matrix x, Matrix out) {
    this.x = x;
    this.out = out;
    partials = Matrix.allocate(memory, RowBlocks.MAX_PARTS, x.cols());
  }

  @Override
  public void begin(ThreadTeam team, int rows) {
    partials.data().fill((byte) 0);
  }

  @Override
  public void rows(int part, int from, int to) {
    Kernels.columns().sum(x, from, to, partials, part);
  }

  @Override
  public boolean sums() {
    return true;
  }

  @Override
  public void end(ThreadTeam team, int parts) {
    Kernels.columns().sum(partials, 0, parts, out, 0);
  }
}
