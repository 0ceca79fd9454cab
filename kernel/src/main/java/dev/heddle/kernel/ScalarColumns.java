package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;

/** The reference that {@link SimdColumns} is tested against, and the fallback without SIMD. */
final class ScalarColumns implements ColumnKernels {
  @Override
  public void sum(
      MemorySegment x, long at, long stride, int rows, int cols, MemorySegment out, long outAt) {
    for (int c = 0; c < cols; c++) {
      float sum = 0;
      for (int r = 0; r < rows; r++) {
        sum += x.get(JAVA_FLOAT, at + r * stride + 4L * c);
      }
      long to = outAt + 4L * c;
      out.set(JAVA_FLOAT, to, out.get(JAVA_FLOAT, to) + sum);
    }
  }

  @Override
  public void centredDot(
      Matrix x, Matrix y, Matrix mean, int from, int to, Matrix out, int outRow) {
    for (int c = 0; c < x.cols(); c++) {
      float sum = 0;
      for (int r = from; r < to; r++) {
        sum += x.get(r, c) * (y.get(r, c) - mean.get(0, c));
      }
      out.set(outRow, c, out.get(outRow, c) + sum);
    }
  }

  @Override
  public void squares(Matrix x, Matrix mean, int from, int to, Matrix out, int outRow) {
    for (int c = 0; c < x.cols(); c++) {
      float sum = 0;
      for (int r = from; r < to; r++) {
        float d = x.get(r, c) - mean.get(0, c);
        sum += d * d;
      }
      out.set(outRow, c, out.get(outRow, c) + sum);
    }
  }
}
