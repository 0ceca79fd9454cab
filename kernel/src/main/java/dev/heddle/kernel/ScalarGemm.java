package dev.heddle.kernel;

/** The reference that the other dense products are tested against, and the last fallback. */
final class ScalarGemm implements GemmKernels {
  @Override
  public void multiply(int rows, Matrix a, int aRow, Matrix b, Matrix c, int cRow, boolean add) {
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < b.cols(); j++) {
        float sum = 0;
        for (int l = 0; l < b.rows(); l++) {
          sum += a.get(aRow + i, l) * b.get(l, j);
        }
        put(c, cRow + i, j, sum, add);
      }
    }
  }

  @Override
  public void transposeMultiply(
      int rows, Matrix a, int aRow, Matrix b, int bRow, Matrix c, boolean add) {
    for (int i = 0; i < c.rows(); i++) {
      for (int j = 0; j < c.cols(); j++) {
        float sum = 0;
        for (int l = 0; l < rows; l++) {
          sum += a.get(aRow + l, i) * b.get(bRow + l, j);
        }
        put(c, i, j, sum, add);
      }
    }
  }

  private static void put(Matrix c, int row, int col, float sum, boolean add) {
    c.set(row, col, add ? c.get(row, col) + sum : sum);
  }

  @Override
  public String description() {
    return "Java, scalar";
  }
}
