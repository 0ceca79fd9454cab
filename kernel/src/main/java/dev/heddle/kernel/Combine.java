package dev.heddle.kernel;

/** {@code out = a·x + b·y + c·out}, element by element; any operand may be the output. */
public final class Combine {
  private final RowLoop loop = new RowLoop(this::rows);
  private Matrix x = Matrix.EMPTY;
  private Matrix y = Matrix.EMPTY;
  private Matrix out = Matrix.EMPTY;
  private float a;
  private float b;
  private float c;

  /**
   * A multiple of a matrix.
   *
   * @param factor what it is multiplied by
   * @param matrix at least as many rows as are combined
   */
  public record Term(float factor, Matrix matrix) {}

  /** {@code out = a·x + b·y}. */
  public void sum(ThreadTeam team, int rows, Term first, Term second, Matrix target) {
    x = first.matrix();
    a = first.factor();
    y = second.matrix();
    b = second.factor();
    c = 0;
    out = target;
    loop.run(team, rows);
  }

  /** {@code out += a·x}, or {@code out = a·x}. */
  public void scale(
      ThreadTeam team, int rows, float factor, Matrix source, Matrix target, boolean add) {
    x = source;
    a = factor;
    y = x;
    b = 0;
    c = add ? 1 : 0;
    out = target;
    loop.run(team, rows);
  }

  private void rows(int from, int to) {
    Kernels.rows().combine(this, from, to);
  }

  Matrix x() {
    return x;
  }

  Matrix y() {
    return y;
  }

  Matrix out() {
    return out;
  }

  float a() {
    return a;
  }

  float b() {
    return b;
  }

  float c() {
    return c;
  }
}
