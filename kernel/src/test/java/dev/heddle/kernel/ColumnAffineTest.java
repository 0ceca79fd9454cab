package dev.heddle.kernel;

import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ColumnAffineTest {
  private static final int ROWS = 1100;

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();
  private final ThreadTeam workers = ThreadTeam.of(2);

  @AfterEach
  void free() {
    workers.close();
    memory.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 129})
  void equalsTheFormula(int cols) {
    Matrix x = TestMatrix.random(memory, random, ROWS, cols);
    Matrix y = TestMatrix.random(memory, random, ROWS, cols);
    Matrix before = TestMatrix.random(memory, random, ROWS, cols);
    ColumnAffine affine = ColumnAffine.allocate(memory, cols);
    for (Matrix factors : new Matrix[] {affine.alpha(), affine.beta(), affine.gamma()}) {
      factors.fill(Float.NaN);
      for (int c = 0; c < cols; c++) {
        factors.set(0, c, (float) random.nextGaussian());
      }
    }
    for (boolean add : new boolean[] {false, true}) {
      affine.addsToOutput(add);
      double[][] expected = new double[ROWS][cols];
      for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < cols; c++) {
          expected[r][c] =
              (double) affine.alpha().get(0, c) * x.get(r, c)
                  + (double) affine.beta().get(0, c) * y.get(r, c)
                  + affine.gamma().get(0, c)
                  + (add ? before.get(r, c) : 0);
        }
      }
      for (RowKernels kernels : new RowKernels[] {new ScalarRows(), new SimdRows()}) {
        Matrix out = TestMatrix.copy(memory, before);
        affine.run(workers, 0, x, y, out); // Aims, and runs over no row.
        kernels.affine(affine, 0, ROWS);
        TestMatrix.assertClose(out, expected, 2e-6);
      }
      SameBits.forAnyThreads(team -> {
        Matrix out = TestMatrix.copy(memory, before);
        affine.run(team, ROWS, x, y, out);
        return new Matrix[] {out};
      });
    }
  }
}
