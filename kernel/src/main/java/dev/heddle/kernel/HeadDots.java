package dev.heddle.kernel;

/**
 * Products of rows, head by head: {@code out[r][h] = Σ_d a[r][h, d] · b[r][h, d]}, where a {@code
 * b} of one row serves all rows of {@code a}.
 */
final class HeadDots {
  private static final int ROWS_PER_TASK = 512;

  private final Heads heads;
  private final AttentionKernels kernels;
  private final Task task = this::run;

  private Matrix a;
  private Matrix b;
  private Matrix out;
  private long column;
  private int rows;

  HeadDots(AttentionBuffers buffers, AttentionKernels kernels) {
    this.heads = buffers.heads();
    this.kernels = kernels;
    this.a = buffers.state();
    this.b = a;
    this.out = a;
  }

  /** Where the next run writes: values per head at a byte offset inside each row. */
  void into(Matrix target, long targetColumn) {
    out = target;
    column = targetColumn;
  }

  /** Multiplies the first {@code count} rows. */
  void run(ThreadTeam team, int count, Matrix left, Matrix right) {
    a = left;
    b = right;
    rows = count;
    team.run((count + ROWS_PER_TASK - 1) / ROWS_PER_TASK, task);
  }

  private void run(int index) {
    int from = index * ROWS_PER_TASK;
    kernels.headDots(this, from, Math.min(rows, from + ROWS_PER_TASK));
  }

  Heads heads() {
    return heads;
  }

  Matrix a() {
    return a;
  }

  Matrix b() {
    return b;
  }

  /** The row of {@code b} that meets a row of {@code a}. */
  int rowOfB(int row) {
    return b.rows() == 1 ? 0 : row;
  }

  Matrix out() {
    return out;
  }

  long column() {
    return column;
  }
}
