package dev.heddle.kernel;

/**
 * Inner loops over parameters, gradients and what an optimizer remembers of them.
 *
 * <p>All matrices of an update have one shape, so that they are walked in step as plain runs of
 * {@code count} floats from index {@code first}, padding included; both are multiples of eight.
 */
interface UpdateKernels {
  /** Partial sums that {@link #squares} may use: the floats of the widest vector. */
  int SQUARE_LANES = 8;

  void adam(AdamUpdate u, long first, int count);

  void sgd(SgdUpdate u, long first, int count);

  /** Multiplies values by a factor. */
  void scale(Matrix m, float factor, long first, int count);

  /** Moves values beyond {@code ±limit} to it; a NaN stays one. */
  void clamp(Matrix m, float limit, long first, int count);

  /**
   * Sums the squares of rows {@code from} to {@code to} (exclusive), without their padding, into
   * partial sums: a row of {@code sums}, of which an implementation writes always the same columns
   * and leaves the others zero.
   */
  void squares(Matrix m, int from, int to, Matrix sums, int row);
}
