package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchNormTest {
  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();
  private final ThreadTeam workers = ThreadTeam.of(2);

  @AfterEach
  void free() {
    workers.close();
    memory.close();
  }

  private BatchNorm.State state(int cols) {
    Matrix variance = TestMatrix.zeros(memory, 1, cols);
    for (int c = 0; c < cols; c++) {
      variance.set(0, c, 1 + random.nextInt(4));
    }
    return new BatchNorm.State(
        TestMatrix.random(memory, random, 1, cols),
        TestMatrix.random(memory, random, 1, cols),
        TestMatrix.random(memory, random, 1, cols),
        variance);
  }

  /** Where gradients go: zeros, the input's NaN until written. */
  private BatchNorm.Gradients gradients(int rows, int cols) {
    return new BatchNorm.Gradients(
        TestMatrix.nan(memory, rows, cols),
        false,
        TestMatrix.zeros(memory, 1, cols),
        TestMatrix.zeros(memory, 1, cols));
  }

  /** What must come out, in doubles. */
  private static final class Expected {
    final double[][] out;
    final double[][] inputGrad;
    final double[][] gammaGrad;
    final double[][] betaGrad;
    final double[][] runningMean;
    final double[][] runningVariance;

    Expected(BatchNorm.State state, Matrix x, Matrix grad) {
      int rows = x.rows();
      int cols = x.cols();
      out = new double[rows][cols];
      inputGrad = new double[rows][cols];
      gammaGrad = new double[1][cols];
      betaGrad = new double[1][cols];
      runningMean = new double[1][cols];
      runningVariance = new double[1][cols];
      for (int c = 0; c < cols; c++) {
        double mean = 0;
        for (int r = 0; r < rows; r++) {
          mean += x.get(r, c) / (double) rows;
        }
        double variance = 0;
        for (int r = 0; r < rows; r++) {
          variance += Math.pow(x.get(r, c) - mean, 2) / rows;
        }
        runningMean[0][c] = 0.9 * state.runningMean().get(0, c) + 0.1 * mean;
        double unbiased = variance * rows / (rows - 1);
        runningVariance[0][c] = 0.9 * state.runningVariance().get(0, c) + 0.1 * unbiased;
        double inverse = 1 / Math.sqrt(variance + 1e-5);
        double gamma = state.gamma().get(0, c);
        for (int r = 0; r < rows; r++) {
          double normal = (x.get(r, c) - mean) * inverse;
          out[r][c] = gamma * normal + state.beta().get(0, c);
          gammaGrad[0][c] += grad.get(r, c) * normal;
          betaGrad[0][c] += grad.get(r, c);
        }
        for (int r = 0; r < rows; r++) {
          double normal = (x.get(r, c) - mean) * inverse;
          double away = grad.get(r, c) - betaGrad[0][c] / rows - normal * gammaGrad[0][c] / rows;
          inputGrad[r][c] = gamma * inverse * away;
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 129})
  void trainingEqualsTheFormula(int cols) {
    int rows = 2 + random.nextInt(1200);
    Matrix x = TestMatrix.random(memory, random, rows, cols);
    Matrix grad = TestMatrix.random(memory, random, rows, cols);
    for (int c = 0; c < cols; c++) {
      // Never a column of almost equal values, which amplify rounding.
      x.set(0, c, -1);
      x.set(1, c, 1);
      for (int r = 0; r < rows; r++) {
        x.set(r, c, x.get(r, c) + 5);
      }
    }
    BatchNorm.State state = state(cols);
    Expected expected = new Expected(state, x, grad);
    BatchNorm norm = BatchNorm.of(state, memory);
    Matrix out = TestMatrix.nan(memory, rows, cols);
    norm.forward(workers, rows, x, out);
    TestMatrix.assertClose(out, expected.out, 5e-5);
    TestMatrix.assertClose(state.runningMean(), expected.runningMean, 1e-5);
    TestMatrix.assertClose(state.runningVariance(), expected.runningVariance, 1e-5);

    // Sums over up to 1,200 rows of values around 5, whose rounding adds up.
    BatchNorm.Gradients g = gradients(rows, cols);
    norm.backward(workers, rows, grad, g);
    TestMatrix.assertClose(TestMatrix.present(g.input()), expected.inputGrad, 1e-4);
    TestMatrix.assertClose(g.gamma(), expected.gammaGrad, 1e-3);
    TestMatrix.assertClose(g.beta(), expected.betaGrad, 2e-4);

    Matrix sum = TestMatrix.copy(memory, out);
    norm.backward(workers, rows, grad, new BatchNorm.Gradients(sum, true, g.gamma(), g.beta()));
    Matrix difference = TestMatrix.nan(memory, rows, cols);
    new Combine()
        .sum(workers, rows, new Combine.Term(1, sum), new Combine.Term(-1, out), difference);
    TestMatrix.assertClose(difference, expected.inputGrad, 1e-4);
  }

  @Test
  void aLargeMeanCostsNoDigitsOfTheScalesGradient() {
    // Rows come in pairs around 4096 with few bits: their mean is exact, and so is x − mean.
    int rows = 4096;
    Matrix x = TestMatrix.zeros(memory, rows, 1);
    Matrix grad = TestMatrix.random(memory, random, rows, 1);
    for (int r = 0; r < rows; r += 2) {
      float away = 0.25f * (1 + random.nextInt(8));
      x.set(r, 0, 4096 + away);
      x.set(r + 1, 0, 4096 - away);
    }
    BatchNorm.State state = state(1);
    double expected = new Expected(state, x, grad).gammaGrad[0][0];
    BatchNorm norm = BatchNorm.of(state, memory);
    BatchNorm.Gradients g = gradients(rows, 1);
    norm.forward(workers, rows, x, TestMatrix.nan(memory, rows, 1));
    norm.backward(workers, rows, grad, g);
    assertThat((double) g.gamma().get(0, 0)).isCloseTo(expected, within(1e-3));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 9, 33})
  void evaluationGoesByTheRunningValues(int cols) {
    Matrix x = TestMatrix.random(memory, random, 5, cols);
    BatchNorm.State state = state(cols);
    double[][] expected = new double[5][cols];
    for (int c = 0; c < cols; c++) {
      double deviation = Math.sqrt(state.runningVariance().get(0, c) + 1e-5);
      for (int r = 0; r < 5; r++) {
        double normal = (x.get(r, c) - state.runningMean().get(0, c)) / deviation;
        expected[r][c] = state.gamma().get(0, c) * normal + state.beta().get(0, c);
      }
    }
    float[][] before = state.runningMean().toArray();
    Matrix out = TestMatrix.nan(memory, 5, cols);
    BatchNorm.of(state, memory).evaluate(workers, 5, x, out);
    TestMatrix.assertClose(out, expected, 1e-5);
    assertThat(state.runningMean().toArray()).isDeepEqualTo(before);
  }

  @Test
  void gradientsEqualDifferences() {
    int rows = 6;
    int cols = 9;
    Matrix x = TestMatrix.random(memory, random, rows, cols);
    for (int c = 0; c < cols; c++) {
      x.set(0, c, -1);
      x.set(1, c, 1);
    }
    Matrix weights = TestMatrix.random(memory, random, rows, cols);
    BatchNorm.State state = state(cols);
    BatchNorm norm = BatchNorm.of(state, memory);
    Matrix out = TestMatrix.nan(memory, rows, cols);
    DoubleSupplier loss =
        () -> {
          norm.forward(workers, rows, x, out);
          return TestMatrix.weighted(weights, out);
        };
    norm.forward(workers, rows, x, out);
    BatchNorm.Gradients g = gradients(rows, cols);
    norm.backward(workers, rows, weights, g);
    TestMatrix.assertGradient(x, TestMatrix.present(g.input()), loss, 3e-3);
    TestMatrix.assertGradient(state.gamma(), g.gamma(), loss, 1e-3);
    TestMatrix.assertGradient(state.beta(), g.beta(), loss, 1e-3);
  }

  @Test
  void bitsDoNotDependOnThreads() {
    int rows = 2000;
    int cols = 21;
    Matrix x = TestMatrix.random(memory, random, rows, cols);
    Matrix grad = TestMatrix.random(memory, random, rows, cols);
    BatchNorm.State shared = state(cols);
    SameBits.forAnyThreads(team -> {
      var state =
          new BatchNorm.State(
              shared.gamma(),
              shared.beta(),
              TestMatrix.copy(memory, shared.runningMean()),
              TestMatrix.copy(memory, shared.runningVariance()));
      BatchNorm norm = BatchNorm.of(state, memory);
      Matrix out = TestMatrix.nan(memory, rows, cols);
      BatchNorm.Gradients g = gradients(rows, cols);
      norm.forward(team, rows, x, out);
      norm.backward(team, rows, grad, g);
      return new Matrix[] {
        out,
        TestMatrix.present(g.input()),
        g.gamma(),
        g.beta(),
        state.runningMean(),
        state.runningVariance()
      };
    });
  }

  @Test
  void aSingleRowIsItsOwnMean() {
    BatchNorm.State state = state(3);
    Matrix out = TestMatrix.nan(memory, 1, 3);
    BatchNorm norm = BatchNorm.of(state, memory);
    norm.forward(workers, 1, TestMatrix.random(memory, random, 1, 3), out);
    TestMatrix.assertClose(out, TestMatrix.doubles(state.beta()), 1e-4);
    BatchNorm.Gradients g = gradients(1, 3);
    norm.backward(workers, 1, TestMatrix.random(memory, random, 1, 3), g);
    TestMatrix.assertClose(TestMatrix.present(g.input()), new double[1][3], 1e-4);
  }
}
