package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LossesTest {
  private static final int[] WIDTHS = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 129};
  private static final RowKernels[] KERNELS = {new ScalarRows(), new SimdRows()};

  /** The losses, each with its value for one row, in doubles. */
  enum Kind {
    SOFTMAX {
      @Override
      double row(double[] x, double[] targets, int label) {
        double max = Double.NEGATIVE_INFINITY;
        for (double score : x) {
          max = Math.max(max, score);
        }
        double sum = 0;
        for (double score : x) {
          sum += Math.exp(score - max);
        }
        return Math.log(sum) + max - x[label];
      }
    },
    SIGMOID {
      @Override
      double row(double[] x, double[] targets, int label) {
        double sum = 0;
        for (int c = 0; c < x.length; c++) {
          sum += targets[c] * log1pExp(-x[c]) + (1 - targets[c]) * log1pExp(x[c]);
        }
        return sum;
      }
    },
    SQUARES {
      @Override
      double row(double[] x, double[] targets, int label) {
        double sum = 0;
        for (int c = 0; c < x.length; c++) {
          sum += Math.pow(x[c] - targets[c], 2);
        }
        return sum;
      }
    };

    abstract double row(double[] x, double[] targets, int label);

    private static double log1pExp(double x) {
      return x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x));
    }

    /** {@link #row}'s derivatives by central differences. */
    double[] gradient(double[] x, double[] targets, int label) {
      double h = 1e-5;
      double[] gradient = new double[x.length];
      for (int c = 0; c < x.length; c++) {
        double at = x[c];
        x[c] = at + h;
        double above = row(x, targets, label);
        x[c] = at - h;
        gradient[c] = (above - row(x, targets, label)) / (2 * h);
        x[c] = at;
      }
      return gradient;
    }
  }

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();
  private final ThreadTeam workers = ThreadTeam.of(2);

  @AfterEach
  void free() {
    workers.close();
    memory.close();
  }

  /** Scores, and what they are compared with, whichever the loss. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Case(Matrix scores, Matrix targets, int[] labels, int[] list) {
    double row(Kind kind, int row) {
      return kind.row(scoresOf(row), TestMatrix.doubles(targets)[row], labels[row]);
    }

    double[] gradient(Kind kind, int row) {
      return kind.gradient(scoresOf(row), TestMatrix.doubles(targets)[row], labels[row]);
    }

    private double[] scoresOf(int row) {
      return TestMatrix.doubles(scores)[row];
    }
  }

  /** Every other row is listed, from the last to the first. */
  private Case anyCase(int rows, int cols, double spread) {
    Matrix scores = TestMatrix.random(memory, random, rows, cols);
    Matrix targets = TestMatrix.nan(memory, rows, cols);
    int[] labels = new int[rows];
    for (int r = 0; r < rows; r++) {
      labels[r] = random.nextInt(cols);
      for (int c = 0; c < cols; c++) {
        scores.set(r, c, (float) (spread * scores.get(r, c)));
        targets.set(r, c, random.nextInt(2));
      }
    }
    int[] list = new int[rows / 2];
    for (int i = 0; i < list.length; i++) {
      list[i] = rows - 1 - 2 * i;
    }
    return new Case(scores, targets, labels, list);
  }

  private RowLoss loss(Kind kind, Case c) {
    return switch (kind) {
      case SOFTMAX ->
          Losses.softmaxCrossEntropy(
              memory, c.list, TestMatrix.ints(memory, c.labels), c.scores.cols());
      case SIGMOID -> Losses.sigmoidCrossEntropy(memory, c.list, c.targets);
      case SQUARES -> Losses.squaredError(memory, c.list, c.targets);
    };
  }

  @ParameterizedTest
  @EnumSource
  void valueAndGradientEqualTheFormula(Kind kind) {
    for (int cols : WIDTHS) {
      Case k = anyCase(12, cols, 10);
      double sum = 0;
      double[][] gradients = new double[12][cols];
      for (int row : k.list) {
        sum += k.row(kind, row);
        gradients[row] = k.gradient(kind, row);
        for (int c = 0; c < cols; c++) {
          gradients[row][c] *= 0.5;
        }
      }
      Matrix grad = TestMatrix.nan(memory, 12, cols);
      double value = loss(kind, k).run(workers, k.scores, 0.5f, grad);
      assertThat(value).isCloseTo(0.5 * sum, within(1e-5 * (1 + sum)));
      TestMatrix.assertClose(grad, gradients, 1e-5);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theGradientMayTakeTheScoresPlace(Kind kind) {
    for (int cols : WIDTHS) {
      Case k = anyCase(12, cols, 10);
      RowLoss loss = loss(kind, k);
      Matrix grad = TestMatrix.nan(memory, 12, cols);
      double value = loss.run(workers, k.scores, 0.5f, grad);
      assertThat(loss.run(workers, k.scores, 0.5f, k.scores)).isEqualTo(value);
      assertThat(k.scores.toArray()).isDeepEqualTo(grad.toArray());
    }
  }

  @Test
  void refusesRowsListedTwice() {
    var labels = TestMatrix.ints(memory, 0, 1, 0);
    assertThatThrownBy(() -> Losses.softmaxCrossEntropy(memory, new int[] {2, 1, 2}, labels, 2))
        .hasMessage("row 2 is listed twice");
  }

  @Test
  void softmaxKernelsInPlaceEqualThoseApart() {
    for (int cols : WIDTHS) {
      for (RowKernels kernels : KERNELS) {
        Case k = anyCase(1, cols, 10);
        Matrix grad = TestMatrix.nan(memory, 1, cols);
        double value = kernels.softmaxCrossEntropy(k.scores, 0, k.labels[0], 1, grad);
        assertThat(kernels.softmaxCrossEntropy(k.scores, 0, k.labels[0], 1, k.scores))
            .isEqualTo(value);
        assertThat(k.scores.toArray()).isDeepEqualTo(grad.toArray());
      }
    }
  }

  @Test
  void softmaxKernelsEqualTheFormula() {
    for (int cols : WIDTHS) {
      for (double spread : new double[] {1, 30}) {
        Case k = anyCase(4, cols, spread);
        for (RowKernels kernels : KERNELS) {
          Matrix grad = TestMatrix.nan(memory, 4, cols);
          for (int row = 0; row < 4; row++) {
            double value = kernels.softmaxCrossEntropy(k.scores, row, k.labels[row], 1, grad);
            double expected = k.row(Kind.SOFTMAX, row);
            assertThat(value).isCloseTo(expected, within(1e-6 * (1 + expected)));
          }
          double[][] gradients = new double[4][];
          for (int row = 0; row < 4; row++) {
            gradients[row] = k.gradient(Kind.SOFTMAX, row);
          }
          TestMatrix.assertClose(grad, gradients, 2e-6);
        }
      }
    }
  }

  @Test
  void softmaxOfExtremesIsFinite() {
    Matrix scores = TestMatrix.nan(memory, 1, 5);
    scores.setRow(0, new float[] {-3e38f, -30, 2, 20, 1000});
    for (RowKernels kernels : KERNELS) {
      Matrix grad = TestMatrix.nan(memory, 1, 5);
      assertThat(kernels.softmaxCrossEntropy(scores, 0, 3, 1, grad)).isCloseTo(980, within(1e-4));
      TestMatrix.assertClose(grad, new double[][] {{0, 0, 0, -1, 1}}, 1e-6);
    }
  }

  @Test
  void notANumberShows() {
    for (int at : new int[] {0, 2, 8}) {
      Matrix scores = TestMatrix.random(memory, random, 1, 9);
      scores.set(0, at, Float.NaN);
      for (RowKernels kernels : KERNELS) {
        Matrix grad = TestMatrix.zeros(memory, 1, 9);
        assertThat(kernels.softmaxCrossEntropy(scores, 0, 1, 1, grad)).isNaN();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void bitsDoNotDependOnThreads(Kind kind) {
    Case k = anyCase(3000, 7, 3);
    RowLoss loss = loss(kind, k);
    SameBits.forAnyThreads(team -> {
      Matrix grad = TestMatrix.nan(memory, 3000, 7);
      double value = loss.run(team, k.scores, 0.1f, grad);
      assertThat(loss.run(team, k.scores, 0.1f, grad)).isEqualTo(value);
      Matrix both = Matrix.allocate(memory, 1, 2);
      both.setRow(0, new float[] {(float) value, (float) (value - (float) value)});
      return new Matrix[] {grad, both};
    });
  }

  @Test
  void refusesLabelsThatAreNoClass() {
    var labels = TestMatrix.ints(memory, 0, 2, -1, 3);
    assertThatThrownBy(() -> Losses.softmaxCrossEntropy(memory, new int[] {0, 3}, labels, 3))
        .hasMessage("row 3 has class 3, but classes go from 0 to 2");
    assertThatThrownBy(() -> Losses.softmaxCrossEntropy(memory, new int[] {1, 2}, labels, 3))
        .hasMessageContaining("row 2 has class -1");
    Losses.softmaxCrossEntropy(memory, new int[] {0, 1}, labels, 3);
  }

  @Test
  void noRowsHaveNoLoss() {
    Case k = anyCase(1, 3, 1);
    Matrix grad = TestMatrix.nan(memory, 1, 3);
    assertThat(loss(Kind.SOFTMAX, k).run(workers, k.scores, 1, grad)).isZero();
    assertThat(grad.toArray()[0]).containsOnly(0);
  }
}
