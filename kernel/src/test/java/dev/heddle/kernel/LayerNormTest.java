package dev.heddle.kernel;

import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LayerNormTest {
  private static final double TOLERANCE = 2e-5;

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();
  private final ThreadTeam workers = ThreadTeam.of(2);

  @AfterEach
  void free() {
    workers.close();
    memory.close();
  }

  /** Operands of one width. */
  private record Case(Matrix x, Matrix gamma, Matrix beta, Matrix grad) {}

  /** Rows with a mean away from zero and never of almost equal values, which amplify rounding. */
  private Case anyCase(int rows, int cols) {
    Matrix x = TestMatrix.random(memory, random, rows, cols);
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        x.set(r, c, 3 + (c < 2 ? 2 * c - 1 : x.get(r, c)));
      }
    }
    return new Case(
        x,
        TestMatrix.random(memory, random, 1, cols),
        TestMatrix.random(memory, random, 1, cols),
        TestMatrix.random(memory, random, rows, cols));
  }

  private LayerNorm norm(Case c) {
    var statistics = memory.allocate(LayerNorm.statisticsBytes(c.x.rows()));
    return LayerNorm.of(c.gamma, c.beta, statistics, memory);
  }

  /** What must come out, in doubles. */
  private static final class Expected {
    final double[][] out;
    final double[][] inputGrad;
    final double[][] gammaGrad;
    final double[][] betaGrad;

    Expected(Case k) {
      int rows = k.x.rows();
      int cols = k.x.cols();
      out = new double[rows][cols];
      inputGrad = new double[rows][cols];
      gammaGrad = new double[1][cols];
      betaGrad = new double[1][cols];
      for (int r = 0; r < rows; r++) {
        double mean = 0;
        for (int c = 0; c < cols; c++) {
          mean += k.x.get(r, c) / (double) cols;
        }
        double variance = 0;
        for (int c = 0; c < cols; c++) {
          variance += Math.pow(k.x.get(r, c) - mean, 2) / cols;
        }
        double inverse = 1 / Math.sqrt(variance + 1e-5);
        double sum = 0;
        double dot = 0;
        double[] normal = new double[cols];
        double[] h = new double[cols];
        for (int c = 0; c < cols; c++) {
          normal[c] = (k.x.get(r, c) - mean) * inverse;
          h[c] = (double) k.gamma.get(0, c) * k.grad.get(r, c);
          out[r][c] = k.gamma.get(0, c) * normal[c] + k.beta.get(0, c);
          gammaGrad[0][c] += k.grad.get(r, c) * normal[c];
          betaGrad[0][c] += k.grad.get(r, c);
          sum += h[c] / cols;
          dot += h[c] * normal[c] / cols;
        }
        for (int c = 0; c < cols; c++) {
          inputGrad[r][c] = inverse * (h[c] - sum - normal[c] * dot);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 129})
  void kernelsEqualTheFormula(int cols) {
    int rows = 20;
    Case k = anyCase(rows, cols);
    Expected expected = new Expected(k);
    for (RowKernels kernels : new RowKernels[] {new ScalarRows(), new SimdRows()}) {
      LayerNorm norm = norm(k);
      Matrix out = TestMatrix.nan(memory, rows, cols);
      norm.forward(workers, 0, k.x, out); // Aims, and runs over no row.
      kernels.layerNorm(norm, 0, rows);
      TestMatrix.assertClose(out, expected.out, TOLERANCE);

      Matrix inputGrad = TestMatrix.nan(memory, rows, cols);
      norm.backward(workers, 0, k.grad, inputGrad, false);
      kernels.layerNormBackward(norm, 0, rows);
      TestMatrix.assertClose(inputGrad, expected.inputGrad, TOLERANCE);

      Matrix doubled = TestMatrix.copy(memory, inputGrad);
      norm.backward(workers, 0, k.grad, doubled, true);
      kernels.layerNormBackward(norm, 0, rows);
      Matrix twice = TestMatrix.nan(memory, rows, cols);
      new Combine().scale(workers, rows, 2, inputGrad, twice, false);
      TestMatrix.assertClose(doubled, TestMatrix.doubles(twice), TOLERANCE);

      Matrix gammaGrad = TestMatrix.zeros(memory, 1, cols);
      kernels.layerNormGamma(norm, 0, rows, gammaGrad, 0);
      TestMatrix.assertClose(gammaGrad, expected.gammaGrad, TOLERANCE);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 40})
  void parametersGetTheSumOverAllRows(int cols) {
    int rows = 1500;
    Case k = anyCase(rows, cols);
    Expected expected = new Expected(k);
    LayerNorm norm = norm(k);
    norm.forward(workers, rows, k.x, TestMatrix.nan(memory, rows, cols));
    Matrix gammaGrad = TestMatrix.zeros(memory, 1, cols);
    Matrix betaGrad = TestMatrix.zeros(memory, 1, cols);
    norm.backwardParameters(workers, rows, k.grad, gammaGrad, betaGrad);
    TestMatrix.assertClose(gammaGrad, expected.gammaGrad, 1e-4);
    TestMatrix.assertClose(betaGrad, expected.betaGrad, 1e-4);
  }

  @Test
  void gradientsEqualDifferences() {
    int rows = 4;
    int cols = 11;
    Case k = anyCase(rows, cols);
    LayerNorm norm = norm(k);
    Matrix out = TestMatrix.nan(memory, rows, cols);
    DoubleSupplier loss =
        () -> {
          norm.forward(workers, rows, k.x, out);
          return TestMatrix.weighted(k.grad, out);
        };
    norm.forward(workers, rows, k.x, out);
    Matrix inputGrad = TestMatrix.nan(memory, rows, cols);
    Matrix gammaGrad = TestMatrix.zeros(memory, 1, cols);
    Matrix betaGrad = TestMatrix.zeros(memory, 1, cols);
    norm.backward(workers, rows, k.grad, inputGrad, false);
    norm.backwardParameters(workers, rows, k.grad, gammaGrad, betaGrad);
    TestMatrix.assertGradient(k.x, inputGrad, loss, 3e-3);
    TestMatrix.assertGradient(k.gamma, gammaGrad, loss, 1e-3);
    TestMatrix.assertGradient(k.beta, betaGrad, loss, 1e-3);
  }

  @Test
  void bitsDoNotDependOnThreads() {
    int rows = 2000;
    int cols = 21;
    Case k = anyCase(rows, cols);
    LayerNorm norm = norm(k);
    SameBits.forAnyThreads(team -> {
      Matrix out = TestMatrix.nan(memory, rows, cols);
      Matrix inputGrad = TestMatrix.nan(memory, rows, cols);
      Matrix gammaGrad = TestMatrix.zeros(memory, 1, cols);
      Matrix betaGrad = TestMatrix.zeros(memory, 1, cols);
      norm.forward(team, rows, k.x, out);
      norm.backward(team, rows, k.grad, inputGrad, false);
      norm.backwardParameters(team, rows, k.grad, gammaGrad, betaGrad);
      return new Matrix[] {out, inputGrad, gammaGrad, betaGrad};
    });
  }
}
