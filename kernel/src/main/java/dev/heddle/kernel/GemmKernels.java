package dev.heddle.kernel;

/** Dense products of a block of rows, on the calling thread. */
interface GemmKernels {
  /**
   * {@code C = A · B}, or added to C, for {@code rows} rows of A and C that begin at {@code aRow}
   * and {@code cRow}; all of B.
   */
  void multiply(int rows, Matrix a, int aRow, Matrix b, Matrix c, int cRow, boolean add);

  /**
   * {@code C = Aᵀ · B}, or added to C, over {@code rows} rows of A and B that begin at {@code aRow}
   * and {@code bRow}; all of C.
   */
  void transposeMultiply(int rows, Matrix a, int aRow, Matrix b, int bRow, Matrix c, boolean add);

  /** What the products run on, for logs. */
  String description();
}
