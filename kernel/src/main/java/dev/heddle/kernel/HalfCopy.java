package dev.heddle.kernel;

/** Rounds the rows of a matrix to bfloat16. Reused from run to run, it allocates nothing. */
public final class HalfCopy {
  private final RowLoop loop = new RowLoop(this::rows);
  private final HalfMatrix target;
  private Matrix source = Matrix.EMPTY;

  public HalfCopy(HalfMatrix target) {
    this.target = target;
  }

  public HalfMatrix run(ThreadTeam team, int rows, Matrix x) {
    source = x;
    loop.run(team, rows);
    return target;
  }

  private void rows(int from, int to) {
    Kernels.rows().narrow(source, target, from, to);
  }
}
