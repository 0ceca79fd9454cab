package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class UpdateKernelsTest {
  private static final int[] WIDTHS = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 129};

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();

  @AfterEach
  void free() {
    memory.close();
  }

  @ParameterizedTest
  @EnumSource(AdamUpdate.Decay.class)
  void adamEqualsItsFormula(AdamUpdate.Decay decay) {
    for (int width : WIDTHS) {
      for (UpdateKernels kernels : new UpdateKernels[] {new ScalarUpdate(), new SimdUpdate()}) {
        adamEqualsItsFormula(kernels, decay, 5, width);
      }
    }
  }

  private void adamEqualsItsFormula(
      UpdateKernels kernels, AdamUpdate.Decay decay, int rows, int width) {
    double b1 = 0.9;
    double b2 = 0.999;
    double eps = 1e-8;
    double lr = 0.01;
    double lambda = 0.1;
    var target =
        new AdamUpdate.Target(
            random(rows, width), random(rows, width), zeros(rows, width), zeros(rows, width));
    double[] p = doubles(target.value());
    double[] m = new double[p.length];
    double[] v = new double[p.length];
    AdamUpdate update = AdamUpdate.of(decay, b1, b2, eps);
    for (int step = 1; step <= 7; step++) {
      refill(target.grad());
      double[] grad = doubles(target.grad());
      for (int i = 0; i < p.length; i++) {
        double g = grad[i];
        if (decay == AdamUpdate.Decay.COUPLED) {
          g += lambda * p[i];
        } else {
          p[i] *= 1 - lr * lambda;
        }
        m[i] = b1 * m[i] + (1 - b1) * g;
        v[i] = b2 * v[i] + (1 - b2) * g * g;
        double mHat = m[i] / (1 - Math.pow(b1, step));
        double vHat = v[i] / (1 - Math.pow(b2, step));
        p[i] -= lr * mHat / (Math.sqrt(vHat) + eps);
      }
      update.begin(step, lr);
      update.aim(target, lambda);
      kernels.adam(update, 0, (int) FlatBlocks.floats(target.value()));
      assertClose(target.value(), p, 2e-6);
      assertClose(target.mean(), m, 1e-6);
      assertClose(target.square(), v, 1e-6);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void sgdEqualsItsFormula(boolean nesterov) {
    for (int width : WIDTHS) {
      for (UpdateKernels kernels : new UpdateKernels[] {new ScalarUpdate(), new SimdUpdate()}) {
        sgdEqualsItsFormula(kernels, nesterov, 5, width);
      }
    }
  }

  private void sgdEqualsItsFormula(UpdateKernels kernels, boolean nesterov, int rows, int width) {
    double mu = 0.9;
    double lr = 0.05;
    double lambda = 0.1;
    var target = new SgdUpdate.Target(random(rows, width), random(rows, width), zeros(rows, width));
    double[] p = doubles(target.value());
    double[] b = new double[p.length];
    SgdUpdate update = SgdUpdate.of(mu, nesterov);
    for (int step = 1; step <= 7; step++) {
      refill(target.grad());
      double[] grad = doubles(target.grad());
      for (int i = 0; i < p.length; i++) {
        double g = grad[i] + lambda * p[i];
        b[i] = mu * b[i] + g;
        p[i] -= lr * (nesterov ? g + mu * b[i] : b[i]);
      }
      update.aim(target, lr, lambda);
      kernels.sgd(update, 0, (int) FlatBlocks.floats(target.value()));
      assertClose(target.value(), p, 2e-6);
      assertClose(target.velocity(), b, 1e-5);
    }
  }

  @Test
  void squaresLeaveThePaddingOut() {
    for (int width : WIDTHS) {
      Matrix x = random(9, width);
      double expected = 0;
      for (double value : doubles(x)) {
        expected += value * value;
      }
      for (UpdateKernels kernels : new UpdateKernels[] {new ScalarUpdate(), new SimdUpdate()}) {
        Matrix sums = zeros(3, UpdateKernels.SQUARE_LANES);
        kernels.squares(x, 0, 4, sums, 0);
        kernels.squares(x, 4, 9, sums, 2);
        double actual = 0;
        for (double sum : doubles(sums)) {
          actual += sum;
        }
        assertThat(actual).as("width %d", width).isCloseTo(expected, within(1e-5 * expected));
      }
    }
  }

  @Test
  void scaleAndClampMoveEveryValue() {
    for (int width : WIDTHS) {
      for (UpdateKernels kernels : new UpdateKernels[] {new ScalarUpdate(), new SimdUpdate()}) {
        Matrix x = random(5, width);
        double[] before = doubles(x);
        int floats = (int) FlatBlocks.floats(x);
        kernels.scale(x, 0.5f, 0, floats);
        kernels.clamp(x, 0.25f, 0, floats);
        double[] expected = new double[before.length];
        for (int i = 0; i < before.length; i++) {
          expected[i] = Math.clamp(before[i] / 2, -0.25, 0.25);
        }
        assertClose(x, expected, 0);
      }
    }
  }

  @Test
  void clampKeepsNotANumber() {
    for (UpdateKernels kernels : new UpdateKernels[] {new ScalarUpdate(), new SimdUpdate()}) {
      Matrix x = Matrix.of(memory, new float[][] {{Float.NaN, Float.NEGATIVE_INFINITY, 3}});
      kernels.clamp(x, 1, 0, 8);
      assertThat(x.toArray()[0]).containsExactly(Float.NaN, -1, 1);
    }
  }

  @Test
  void anyNumberOfThreadsGivesTheSameBits() {
    int rows = 700;
    int width = 129;
    float[][] value = random(rows, width).toArray();
    float[][] grad = random(rows, width).toArray();
    float[][] @Nullable [] first = null;
    double firstSquares = 0;
    for (int threads = 1; threads <= 3; threads++) {
      try (ThreadTeam team = ThreadTeam.of(threads)) {
        var a =
            new AdamUpdate.Target(copy(value), copy(grad), zeros(rows, width), zeros(rows, width));
        var s = new SgdUpdate.Target(copy(value), copy(grad), zeros(rows, width));
        AdamUpdate adam = AdamUpdate.of(AdamUpdate.Decay.COUPLED, 0.9, 0.999, 1e-8);
        adam.begin(1, 0.01);
        adam.run(team, a, 0.01);
        SgdUpdate.of(0.9, false).run(team, s, 0.01, 0.01);
        Clipping clipping = Clipping.allocate(memory);
        double squares = clipping.sumOfSquares(team, a.grad());
        clipping.scale(team, a.grad(), 0.7f);
        clipping.clamp(team, a.grad(), 0.3f);
        float[][][] results = {a.value().toArray(), s.value().toArray(), a.grad().toArray()};
        if (first == null) {
          first = results;
          firstSquares = squares;
        }
        assertThat(results).isDeepEqualTo(first);
        assertThat(squares).isEqualTo(firstSquares);
      }
    }
  }

  @Test
  void anyShapeHasItsSquaresSummed() {
    int[][] shapes = {{0, 3}, {1, 1}, {1, 20_000}, {5000, 1}, {1025, 8}, {2049, 20}};
    try (ThreadTeam team = ThreadTeam.of(2)) {
      Clipping clipping = Clipping.allocate(memory);
      for (int[] shape : shapes) {
        Matrix x = zeros(shape[0], shape[1]);
        x.fill(2);
        assertThat(clipping.sumOfSquares(team, x)).isEqualTo(4.0 * shape[0] * shape[1]);
      }
    }
  }

  @Test
  void matricesOfSeveralShapesAreRefused() {
    assertThatThrownBy(() -> new SgdUpdate.Target(zeros(2, 3), zeros(2, 3), zeros(3, 2)))
        .hasMessage("Matrix[2 x 3] and Matrix[3 x 2] differ in shape");
  }

  private static void assertClose(Matrix actual, double[] expected, double tolerance) {
    double worst = 0;
    for (int i = 0; i < expected.length; i++) {
      double error = Math.abs(actual.get(i / actual.cols(), i % actual.cols()) - expected[i]);
      worst = Math.max(worst, error); // A NaN stays one.
    }
    assertThat(worst).as("worst error of %s", actual).isLessThanOrEqualTo(tolerance);
  }

  /** Values in (−1, 1) with NaN for padding. */
  private Matrix random(int rows, int cols) {
    Matrix m = zeros(rows, cols);
    refill(m);
    return m;
  }

  private void refill(Matrix m) {
    m.fill(Float.NaN);
    for (int r = 0; r < m.rows(); r++) {
      for (int c = 0; c < m.cols(); c++) {
        m.set(r, c, (float) random.nextDouble(-1, 1));
      }
    }
  }

  private Matrix copy(float[][] values) {
    return Matrix.of(memory, values);
  }

  private Matrix zeros(int rows, int cols) {
    return Matrix.allocate(memory, rows, cols);
  }

  private static double[] doubles(Matrix m) {
    double[] values = new double[m.rows() * m.cols()];
    for (int i = 0; i < values.length; i++) {
      values[i] = m.get(i / m.cols(), i % m.cols());
    }
    return values;
  }
}
