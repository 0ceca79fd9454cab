package dev.heddle.kernel;

/** {@code out = α ⊙ x + β ⊙ y + γ} with a factor per column, or added to the output. */
final class ColumnAffine {
  private final Matrix alpha;
  private final Matrix beta;
  private final Matrix gamma;
  private final RowLoop loop = new RowLoop(this::rows);
  private Matrix x = Matrix.EMPTY;
  private Matrix y = Matrix.EMPTY;
  private Matrix out = Matrix.EMPTY;
  private boolean add;

  private ColumnAffine(Memory memory, int cols) {
    alpha = Matrix.allocate(memory, 1, cols);
    beta = Matrix.allocate(memory, 1, cols);
    gamma = Matrix.allocate(memory, 1, cols);
  }

  static ColumnAffine allocate(Memory memory, int cols) {
    return new ColumnAffine(memory, cols);
  }

  void run(ThreadTeam team, int rows, Matrix first, Matrix second, Matrix target) {
    x = first;
    y = second;
    out = target;
    loop.run(team, rows);
  }

  void addsToOutput(boolean value) {
    add = value;
  }

  private void rows(int from, int to) {
    Kernels.rows().affine(this, from, to);
  }

  /** Factors of x, to be set by the caller. */
  Matrix alpha() {
    return alpha;
  }

  /** Factors of y, to be set by the caller. */
  Matrix beta() {
    return beta;
  }

  /** Summands, to be set by the caller. */
  Matrix gamma() {
    return gamma;
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

  boolean add() {
    return add;
  }
}
