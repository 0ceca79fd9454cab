package dev.heddle.graph.sample;

/** Means of many estimates for each of some rows, and how far they are from what they estimate. */
final class RowMeans {
  private final double[] sums;
  private final double[] squares;
  private long count;

  RowMeans(int rows) {
    sums = new double[rows];
    squares = new double[rows];
  }

  void begin() {
    count++;
  }

  void add(int row, double estimate) {
    sums[row] += estimate;
    squares[row] += estimate * estimate;
  }

  /** Rows whose mean is so many standard errors from what it should be. */
  int off(double[] exact, double errors) {
    int off = 0;
    for (int row = 0; row < exact.length; row++) {
      double mean = sums[row] / count;
      double error = Math.sqrt(Math.max(0, squares[row] / count - mean * mean) / count);
      // Floats of what arcs stand for have seven digits.
      double rounding = 2e-6 * Math.max(Math.abs(exact[row]), Math.sqrt(squares[row] / count));
      off += Math.abs(mean - exact[row]) > errors * error + rounding ? 1 : 0;
    }
    return off;
  }
}
