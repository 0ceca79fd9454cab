package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** Matrices for tests: NaN in the padding, so that whatever reads it shows. */
final class TestMatrix {
  private TestMatrix() {}

  static Matrix nan(Memory memory, int rows, int cols) {
    Matrix m = Matrix.allocate(memory, rows, cols);
    m.fill(Float.NaN);
    return m;
  }

  static Matrix zeros(Memory memory, int rows, int cols) {
    Matrix m = nan(memory, rows, cols);
    for (int r = 0; r < rows; r++) {
      m.setRow(r, new float[cols]);
    }
    return m;
  }

  /** Values in [−1, 1). */
  static Matrix random(Memory memory, SplittableRandom random, int rows, int cols) {
    Matrix m = nan(memory, rows, cols);
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        m.set(r, c, (float) (2 * random.nextDouble() - 1));
      }
    }
    return m;
  }

  /** Standard normal values. */
  static Matrix gaussian(Memory memory, SplittableRandom random, int rows, int cols) {
    Matrix m = nan(memory, rows, cols);
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        m.set(r, c, (float) random.nextGaussian());
      }
    }
    return m;
  }

  static Matrix copy(Memory memory, Matrix of) {
    Matrix m = Matrix.allocate(memory, of.rows(), of.cols());
    MemorySegment.copy(of.data(), 0, m.data(), 0, Matrix.bytes(of.rows(), of.cols()));
    return m;
  }

  /** A matrix that is known to be there. */
  static Matrix present(@Nullable Matrix m) {
    return Objects.requireNonNull(m);
  }

  static double[][] doubles(Matrix m) {
    double[][] values = new double[m.rows()][m.cols()];
    for (int r = 0; r < m.rows(); r++) {
      for (int c = 0; c < m.cols(); c++) {
        values[r][c] = m.get(r, c);
      }
    }
    return values;
  }

  static void assertClose(Matrix actual, double[][] expected, double tolerance) {
    for (int r = 0; r < expected.length; r++) {
      for (int c = 0; c < expected[r].length; c++) {
        double error = Math.abs(actual.get(r, c) - expected[r][c]);
        // An assertion of its own for every element would take most of a test's time.
        if (!(error <= tolerance * (1 + Math.abs(expected[r][c])))) {
          assertThat((double) actual.get(r, c))
              .as("%s [%d, %d]", actual, r, c)
              .isCloseTo(expected[r][c], within(tolerance));
        }
      }
    }
  }

  /**
   * Checks a gradient by central differences: {@code loss} is evaluated with every element of
   * {@code parameter} moved either way. The step is a power of two, to move float values exactly
   * enough.
   */
  static void assertGradient(
      Matrix parameter, Matrix gradient, DoubleSupplier loss, double tolerance) {
    float step = 0x1p-7f;
    for (int r = 0; r < parameter.rows(); r++) {
      for (int c = 0; c < parameter.cols(); c++) {
        float before = parameter.get(r, c);
        parameter.set(r, c, before + step);
        double above = loss.getAsDouble();
        parameter.set(r, c, before - step);
        double below = loss.getAsDouble();
        parameter.set(r, c, before);
        double expected = (above - below) / (2 * step);
        assertThat((double) gradient.get(r, c))
            .as("gradient of %s [%d, %d]", parameter, r, c)
            .isCloseTo(expected, within(tolerance * (1 + Math.abs(expected))));
      }
    }
  }

  /** {@code Σ weight · value}: a loss whose gradient with respect to values is the weights. */
  static double weighted(Matrix weights, Matrix values) {
    double sum = 0;
    for (int r = 0; r < weights.rows(); r++) {
      for (int c = 0; c < weights.cols(); c++) {
        sum += (double) weights.get(r, c) * values.get(r, c);
      }
    }
    return sum;
  }

  static MemorySegment ints(Memory memory, int... values) {
    MemorySegment segment = memory.allocateInts(values.length);
    MemorySegment.copy(values, 0, segment, JAVA_INT, 0, values.length);
    return segment;
  }

  static float[] floats(MemorySegment segment, int count) {
    float[] values = new float[count];
    MemorySegment.copy(segment, JAVA_FLOAT, 0, values, 0, count);
    return values;
  }
}
