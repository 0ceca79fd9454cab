package dev.heddle.kernel;

import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ColumnKernelsTest {
  private static final int ROWS = 90;

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();

  @AfterEach
  void free() {
    memory.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 129})
  void equalTheirFormulas(int cols) {
    Matrix x = TestMatrix.random(memory, random, ROWS, cols);
    Matrix y = TestMatrix.random(memory, random, ROWS, cols);
    Matrix mean = TestMatrix.random(memory, random, 1, cols);
    double[][] sums = new double[3][cols];
    for (int c = 0; c < cols; c++) {
      for (int r = 10; r < ROWS - 5; r++) {
        double centred = (double) y.get(r, c) - mean.get(0, c);
        sums[0][c] += x.get(r, c);
        sums[1][c] += x.get(r, c) * centred;
        sums[2][c] += centred * centred;
      }
    }
    for (ColumnKernels kernels : new ColumnKernels[] {new ScalarColumns(), new SimdColumns()}) {
      Matrix out = TestMatrix.zeros(memory, 3, cols);
      kernels.sum(x, 10, ROWS - 5, out, 0);
      kernels.centredDot(x, y, mean, 10, ROWS - 5, out, 1);
      kernels.squares(y, mean, 10, ROWS - 5, out, 2);
      TestMatrix.assertClose(out, sums, 1e-5);
    }
  }

  @Test
  void aColumnSumAddsToWhatIsThere() {
    int rows = 40_000; // More than one block for each part.
    Matrix x = TestMatrix.random(memory, random, rows, 9);
    double[][] expected = new double[1][9];
    for (int c = 0; c < 9; c++) {
      expected[0][c] = 1;
      for (int r = 0; r < rows; r++) {
        expected[0][c] += x.get(r, c);
      }
    }
    ColumnSum sum = new ColumnSum(memory, 9);
    SameBits.forAnyThreads(team -> {
      Matrix out = Matrix.allocate(memory, 1, 9);
      out.fill(1);
      sum.addTo(team, rows, x, out);
      TestMatrix.assertClose(out, expected, 1e-3);
      return new Matrix[] {out};
    });
  }
}
