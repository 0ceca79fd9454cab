package dev.heddle.kernel;

/** Dense products of a block of rows, on the calling thread. */
interface GemmKernels {
  /** Rows {@code from} to {@code to} (exclusive) of {@code C = A · B}, or added to C. */
  void multiply(Product p, int from, int to);

  /** Run once, before the blocks of {@link #multiplyTransposed}. */
  default void prepareTransposed(Product p) {}

  /** Rows {@code from} to {@code to} (exclusive) of {@code C = A · Bᵀ}, or added to C. */
  void multiplyTransposed(Product p, int from, int to);

  /**
   * {@code Aᵀ · B} over rows {@code from} to {@code to} (exclusive) of both, into the scratch at a
   * byte offset, in the strides of C.
   */
  void transposeMultiply(Product p, int from, int to, long partialOffset);

  /** What the products run on, for logs. */
  String description();
}
