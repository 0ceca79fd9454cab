package dev.heddle.kernel;

/** Adds the sum of a matrix's rows to a row: the gradient of a bias. */
public final class ColumnSum {
  private final ColumnReduction reduction;
  private Matrix x = Matrix.EMPTY;

  public ColumnSum(Memory memory, int cols) {
    reduction = ColumnReduction.allocate(memory, cols, this::rows);
  }

  /** {@code out += Σ_r x[r]} over the first {@code rows} rows. */
  public void addTo(Workers workers, int rows, Matrix source, Matrix out) {
    x = source;
    reduction.addTo(workers, rows, out);
  }

  private void rows(int from, int to, Matrix partials, int part) {
    Kernels.columns().sum(x, from, to, partials, part);
  }
}
