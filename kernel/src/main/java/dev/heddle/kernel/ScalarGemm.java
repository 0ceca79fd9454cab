package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

/** The reference that the other dense products are tested against, and the last fallback. */
final class ScalarGemm implements GemmKernels {
  @Override
  public void multiply(Product p, int from, int to) {
    Matrix b = p.b();
    for (int i = from; i < to; i++) {
      for (int j = 0; j < b.cols(); j++) {
        float sum = 0;
        for (int l = 0; l < b.rows(); l++) {
          sum += p.a().get(i, l) * b.get(l, j);
        }
        put(p, i, j, sum);
      }
    }
  }

  @Override
  public void multiplyTransposed(Product p, int from, int to) {
    Matrix b = p.b();
    for (int i = from; i < to; i++) {
      for (int j = 0; j < b.rows(); j++) {
        float sum = 0;
        for (int l = 0; l < b.cols(); l++) {
          sum += p.a().get(i, l) * b.get(j, l);
        }
        put(p, i, j, sum);
      }
    }
  }

  @Override
  public void transposeMultiply(Product p, int from, int to, long partialOffset) {
    Matrix c = p.c();
    for (int i = 0; i < c.rows(); i++) {
      for (int j = 0; j < c.cols(); j++) {
        float sum = 0;
        for (int l = from; l < to; l++) {
          sum += p.a().get(l, i) * p.b().get(l, j);
        }
        p.scratch().set(JAVA_FLOAT, partialOffset + c.offset(i) + 4L * j, sum);
      }
    }
  }

  private static void put(Product p, int row, int col, float sum) {
    p.c().set(row, col, p.add() ? p.c().get(row, col) + sum : sum);
  }

  @Override
  public String description() {
    return "Java, scalar";
  }
}
