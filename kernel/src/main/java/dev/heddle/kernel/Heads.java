package dev.heddle.kernel;

/**
 * How the columns of a row divide among attention heads: {@code width} columns of the first head,
 * then those of the second, and so on.
 *
 * @param count heads
 * @param width columns of each head
 */
public record Heads(int count, int width) {
  public Heads {
    if (count < 1 || width < 1) {
      throw new IllegalArgumentException(
          "attention cannot have " + count + " heads of " + width + " columns");
    }
    if ((long) count * width > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          count + " heads of " + width + " columns are too many: " + (long) count * width);
    }
  }

  /** Columns of all heads together. */
  public int columns() {
    return Math.multiplyExact(count, width);
  }

  /** Floats that one value per head takes, padded to whole vectors. */
  int stride() {
    return Matrix.strideOf(count);
  }

  /** Fails unless a matrix has these columns and at least {@code rows} rows. */
  void require(String name, Matrix m, int rows) {
    if (m.cols() != columns() || m.rows() < rows) {
      throw new IllegalArgumentException(
          name + " must be " + rows + " x " + columns() + " but is " + m.rows() + " x " + m.cols());
    }
  }
}
