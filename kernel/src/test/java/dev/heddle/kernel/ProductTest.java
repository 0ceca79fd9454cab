package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProductTest {
  private static final int[] WIDTHS = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65};

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();
  private final ThreadTeam workers = ThreadTeam.of(2);

  @AfterEach
  void free() {
    workers.close();
    memory.close();
  }

  @Test
  void productsEqualTheirFormulas() {
    for (int k : WIDTHS) {
      productsEqualTheirFormulas(1 + random.nextInt(40), k, anyWidth());
      productsEqualTheirFormulas(1 + random.nextInt(40), anyWidth(), k);
    }
    productsEqualTheirFormulas(1500, 9, 20);
    productsEqualTheirFormulas(23, 600, 20);
    productsEqualTheirFormulas(0, 3, 5);
  }

  private void productsEqualTheirFormulas(int rows, int k, int n) {
    // Two rows more than are asked for must stay as they are.
    Matrix x = TestMatrix.random(memory, random, rows + 2, k);
    Matrix w = TestMatrix.random(memory, random, k, n);
    Matrix y = TestMatrix.nan(memory, rows + 2, n);
    Product product = Product.allocate(memory, k, n);
    double tolerance = 2e-6 * Math.sqrt(k + n + rows);

    product.multiply(workers, rows, x, w, y);
    double[][] forward = product(x, w, rows);
    TestMatrix.assertClose(y, forward, tolerance);
    product.addMultiply(workers, rows, x, w, y);
    TestMatrix.assertClose(y, times(2, forward), tolerance);
    assertThat(y.get(rows, 0)).isNaN();

    Matrix g = TestMatrix.random(memory, random, rows + 2, n);
    Matrix gx = TestMatrix.nan(memory, rows + 2, k);
    product.multiplyTransposed(workers, rows, g, w, gx);
    double[][] back = product(g, transposed(w, k), rows);
    TestMatrix.assertClose(gx, back, tolerance);
    product.addMultiplyTransposed(workers, rows, g, w, gx);
    TestMatrix.assertClose(gx, times(2, back), tolerance);
    assertThat(gx.get(rows, 0)).isNaN();

    Matrix gw = TestMatrix.zeros(memory, k, n);
    product.addTransposeMultiply(workers, rows, x, g, gw);
    double[][] weights = product(transposed(x, rows), g, k);
    TestMatrix.assertClose(gw, weights, tolerance);
    product.addTransposeMultiply(workers, rows, x, g, gw);
    TestMatrix.assertClose(gw, times(2, weights), tolerance);
  }

  @Test
  void kernelsAgree() {
    GemmKernels[] kernels = {new ScalarGemm(), new SimdGemm(), Gemm.kernels()};
    for (int k : WIDTHS) {
      int n = anyWidth();
      int rows = 1 + random.nextInt(20);
      Matrix x = TestMatrix.random(memory, random, rows, k);
      Matrix w = TestMatrix.random(memory, random, k, n);
      Matrix g = TestMatrix.random(memory, random, rows, n);
      Product product = Product.allocate(memory, k, n);
      for (GemmKernels kernel : kernels) {
        Matrix y = TestMatrix.nan(memory, rows, n);
        product.multiply(workers, rows, x, w, y);
        double[][] expected = TestMatrix.doubles(y);
        y.fill(Float.NaN);
        kernel.multiply(rows, x, 0, w, y, 0, false);
        TestMatrix.assertClose(y, expected, 1e-5);

        Matrix gw = TestMatrix.zeros(memory, k, n);
        product.addTransposeMultiply(workers, rows, x, g, gw);
        Matrix sum = TestMatrix.nan(memory, k, n);
        kernel.transposeMultiply(rows, x, 0, g, 0, sum, false);
        TestMatrix.assertClose(sum, TestMatrix.doubles(gw), 1e-5);
        kernel.transposeMultiply(rows, x, 0, g, 0, sum, true);
        TestMatrix.assertClose(sum, times(2, TestMatrix.doubles(gw)), 1e-5);
      }
    }
  }

  @Test
  void threadsChangeNoBit() {
    int rows = 40_000;
    Matrix x = TestMatrix.random(memory, random, rows, 17);
    Matrix w = TestMatrix.random(memory, random, 17, 9);
    Matrix g = TestMatrix.random(memory, random, rows, 9);
    Product product = Product.allocate(memory, 17, 9);
    float[][][] first = null;
    for (int threads = 1; threads <= 3; threads++) {
      try (ThreadTeam team = ThreadTeam.of(threads)) {
        Matrix y = TestMatrix.nan(memory, rows, 9);
        Matrix gx = TestMatrix.nan(memory, rows, 17);
        Matrix gw = TestMatrix.zeros(memory, 17, 9);
        product.multiply(team, rows, x, w, y);
        product.multiplyTransposed(team, rows, g, w, gx);
        product.addTransposeMultiply(team, rows, x, g, gw);
        float[][][] results = {y.toArray(), gx.toArray(), gw.toArray()};
        first = first == null ? results : first;
        assertThat(Arrays.deepEquals(results, first)).isTrue();
      }
    }
  }

  @Test
  void refusesWhatDoesNotFit() {
    Product product = Product.allocate(memory, 3, 4);
    Matrix x = TestMatrix.zeros(memory, 5, 3);
    Matrix w = TestMatrix.zeros(memory, 3, 4);
    Matrix y = TestMatrix.zeros(memory, 5, 4);
    assertThatThrownBy(() -> product.multiply(workers, 6, x, w, y))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("6 rows");
    assertThatThrownBy(() -> product.multiply(workers, 5, y, w, x))
        .isInstanceOf(IllegalArgumentException.class);
    Matrix wide = TestMatrix.zeros(memory, 5, 400);
    Matrix gw = TestMatrix.zeros(memory, 3, 400);
    assertThatThrownBy(() -> product.addTransposeMultiply(workers, 5, x, wide, gw))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("scratch");
    Memory closed = new Memory();
    Matrix gone = TestMatrix.zeros(closed, 5, 4);
    closed.close();
    assertThatThrownBy(() -> product.multiply(workers, 5, x, w, gone))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  private int anyWidth() {
    return WIDTHS[random.nextInt(WIDTHS.length)];
  }

  private static double[][] product(Matrix a, Matrix b, int rows) {
    return product(TestMatrix.doubles(a), TestMatrix.doubles(b), rows);
  }

  private static double[][] product(double[][] a, Matrix b, int rows) {
    return product(a, TestMatrix.doubles(b), rows);
  }

  private static double[][] product(Matrix a, double[][] b, int rows) {
    return product(TestMatrix.doubles(a), b, rows);
  }

  private static double[][] product(double[][] a, double[][] b, int rows) {
    double[][] c = new double[rows][b[0].length];
    for (int i = 0; i < rows; i++) {
      for (int l = 0; l < a[i].length; l++) {
        for (int j = 0; j < c[i].length; j++) {
          c[i][j] += a[i][l] * b[l][j];
        }
      }
    }
    return c;
  }

  /** The first rows, turned. */
  private static double[][] transposed(Matrix m, int rows) {
    double[][] t = new double[m.cols()][rows];
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < m.cols(); c++) {
        t[c][r] = m.get(r, c);
      }
    }
    return t;
  }

  private static double[][] times(double factor, double[][] values) {
    double[][] scaled = new double[values.length][];
    for (int r = 0; r < values.length; r++) {
      scaled[r] = values[r].clone();
      for (int c = 0; c < scaled[r].length; c++) {
        scaled[r][c] *= factor;
      }
    }
    return scaled;
  }
}
