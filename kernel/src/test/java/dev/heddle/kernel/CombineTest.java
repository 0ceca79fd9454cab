package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CombineTest {
  private static final int ROWS = 1100;

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();
  private final ThreadTeam workers = ThreadTeam.of(2);
  private final Combine combine = new Combine();

  @AfterEach
  void free() {
    workers.close();
    memory.close();
  }

  private Matrix random(int cols) {
    return TestMatrix.random(memory, random, ROWS + 1, cols);
  }

  /** {@code a·x + b·y} in doubles. */
  private static double[][] expected(float a, Matrix x, float b, Matrix y) {
    double[][] sum = new double[ROWS][x.cols()];
    for (int r = 0; r < ROWS; r++) {
      for (int c = 0; c < x.cols(); c++) {
        sum[r][c] = (double) a * x.get(r, c) + (double) b * y.get(r, c);
      }
    }
    return sum;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 129})
  void sumsTwoMatricesAlsoInPlace(int cols) {
    Matrix x = random(cols);
    Matrix y = random(cols);
    double[][] expected = expected(0.3f, x, -2, y);
    Matrix out = TestMatrix.nan(memory, ROWS + 1, cols);
    combine.sum(workers, ROWS, new Combine.Term(0.3f, x), new Combine.Term(-2, y), out);
    TestMatrix.assertClose(out, expected, 1e-6);
    assertThat(out.get(ROWS, 0)).as("the row after the last").isNaN();
    for (RowKernels kernels : new RowKernels[] {new ScalarRows(), new SimdRows()}) {
      out.fill(Float.NaN);
      kernels.combine(combine, 0, ROWS);
      TestMatrix.assertClose(out, expected, 1e-6);
    }

    Matrix first = TestMatrix.copy(memory, x);
    combine.sum(workers, ROWS, new Combine.Term(0.3f, first), new Combine.Term(-2, y), first);
    TestMatrix.assertClose(first, expected, 1e-6);
    Matrix second = TestMatrix.copy(memory, y);
    combine.sum(workers, ROWS, new Combine.Term(0.3f, x), new Combine.Term(-2, second), second);
    TestMatrix.assertClose(second, expected, 1e-6);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 9, 33, 65})
  void scalesIntoAndOntoAMatrix(int cols) {
    Matrix x = random(cols);
    Matrix before = random(cols);
    for (RowKernels kernels : new RowKernels[] {new ScalarRows(), new SimdRows()}) {
      Matrix out = TestMatrix.nan(memory, ROWS + 1, cols);
      combine.scale(workers, 0, 0.7f, x, out, false); // Aims, and runs over no row.
      kernels.combine(combine, 0, ROWS);
      TestMatrix.assertClose(out, expected(0.7f, x, 0, x), 1e-6);
      Matrix sum = TestMatrix.copy(memory, before);
      combine.scale(workers, 0, 0.7f, x, sum, true);
      kernels.combine(combine, 0, ROWS);
      TestMatrix.assertClose(sum, expected(0.7f, x, 1, before), 1e-6);
    }
    SameBits.forAnyThreads(team -> {
      Matrix sum = TestMatrix.copy(memory, before);
      combine.scale(team, ROWS, 0.7f, x, sum, true);
      return new Matrix[] {sum};
    });
  }
}
