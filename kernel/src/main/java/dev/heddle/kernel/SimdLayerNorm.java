package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/**
 * {@link LayerNorm} by the Vector API. The last vector of a row is masked in sums, so that padding
 * does not enter them; elsewhere whole vectors are used.
 */
final class SimdLayerNorm {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final int LANES = Simd.LANES;

  private SimdLayerNorm() {}

  static void forward(LayerNorm n, int from, int to) {
    Matrix x = n.x();
    MemorySegment data = x.data();
    MemorySegment out = n.out().data();
    int cols = x.cols();
    int vectors = Simd.vectors(cols);
    for (int row = from; row < to; row++) {
      long begin = x.offset(row);
      float mean = sum(data, begin, cols) / cols;
      float variance = squares(data, begin, cols, mean) / cols;
      float r = (float) (1 / Math.sqrt(variance + LayerNorm.EPSILON));
      n.statistics().setAtIndex(JAVA_FLOAT, 2L * row, mean);
      n.statistics().setAtIndex(JAVA_FLOAT, 2L * row + 1, r);
      for (int v = 0; v < vectors; v++) {
        long column = 4L * v * LANES;
        FloatVector normal = fromMemorySegment(F, data, begin + column, LE).sub(mean).mul(r);
        fromMemorySegment(F, n.gamma().data(), column, LE)
            .fma(normal, fromMemorySegment(F, n.beta().data(), column, LE))
            .intoMemorySegment(out, begin + column, LE);
      }
    }
  }

  private static float sum(MemorySegment data, long begin, int cols) {
    FloatVector sum = FloatVector.zero(F);
    int c = 0;
    for (; c + LANES <= cols; c += LANES) {
      sum = sum.add(fromMemorySegment(F, data, begin + 4L * c, LE));
    }
    if (c < cols) {
      VectorMask<Float> rest = F.indexInRange(c, cols);
      sum = sum.add(fromMemorySegment(F, data, begin + 4L * c, LE), rest);
    }
    return LaneSum.of(sum);
  }

  private static float squares(MemorySegment data, long begin, int cols, float mean) {
    FloatVector sum = FloatVector.zero(F);
    int c = 0;
    for (; c + LANES <= cols; c += LANES) {
      FloatVector d = fromMemorySegment(F, data, begin + 4L * c, LE).sub(mean);
      sum = d.fma(d, sum);
    }
    if (c < cols) {
      FloatVector d = fromMemorySegment(F, data, begin + 4L * c, LE).sub(mean);
      sum = sum.add(d.mul(d), F.indexInRange(c, cols));
    }
    return LaneSum.of(sum);
  }

  static void backward(LayerNorm n, int from, int to) {
    Matrix x = n.x();
    MemorySegment data = x.data();
    MemorySegment grad = n.out().data();
    MemorySegment gamma = n.gamma().data();
    int cols = x.cols();
    for (int row = from; row < to; row++) {
      long begin = x.offset(row);
      float m = SimdRows.statistic(n.statistics(), row, 0);
      float r = SimdRows.statistic(n.statistics(), row, 1);
      float meanSum = scaledSum(gamma, grad, begin, cols) / cols;
      float meanDot = r * centredDot(gamma, grad, data, begin, cols, m) / cols;
      if (n.add()) {
        addGradient(n, begin, m, r, meanSum, meanDot);
      } else {
        writeGradient(n, begin, m, r, meanSum, meanDot);
      }
    }
  }

  /** {@code Σ h}. */
  private static float scaledSum(MemorySegment gamma, MemorySegment grad, long begin, int cols) {
    FloatVector sum = FloatVector.zero(F);
    int c = 0;
    for (; c + LANES <= cols; c += LANES) {
      sum =
          fromMemorySegment(F, gamma, 4L * c, LE)
              .fma(fromMemorySegment(F, grad, begin + 4L * c, LE), sum);
    }
    if (c < cols) {
      FloatVector h =
          fromMemorySegment(F, gamma, 4L * c, LE)
              .mul(fromMemorySegment(F, grad, begin + 4L * c, LE));
      sum = sum.add(h, F.indexInRange(c, cols));
    }
    return LaneSum.of(sum);
  }

  /** {@code Σ h · (x − mean)}. */
  private static float centredDot(
      MemorySegment gamma, MemorySegment grad, MemorySegment x, long begin, int cols, float mean) {
    FloatVector sum = FloatVector.zero(F);
    int c = 0;
    for (; c + LANES <= cols; c += LANES) {
      FloatVector h =
          fromMemorySegment(F, gamma, 4L * c, LE)
              .mul(fromMemorySegment(F, grad, begin + 4L * c, LE));
      sum = fromMemorySegment(F, x, begin + 4L * c, LE).sub(mean).fma(h, sum);
    }
    if (c < cols) {
      FloatVector h =
          fromMemorySegment(F, gamma, 4L * c, LE)
              .mul(fromMemorySegment(F, grad, begin + 4L * c, LE));
      FloatVector d = fromMemorySegment(F, x, begin + 4L * c, LE).sub(mean);
      sum = sum.add(d.mul(h), F.indexInRange(c, cols));
    }
    return LaneSum.of(sum);
  }

  private static void writeGradient(
      LayerNorm n, long begin, float m, float r, float meanSum, float meanDot) {
    MemorySegment target = n.inputGrad().data();
    int vectors = Simd.vectors(n.x().cols());
    for (int v = 0; v < vectors; v++) {
      long column = 4L * v * LANES;
      FloatVector normal = fromMemorySegment(F, n.x().data(), begin + column, LE).sub(m).mul(r);
      fromMemorySegment(F, n.gamma().data(), column, LE)
          .mul(fromMemorySegment(F, n.out().data(), begin + column, LE))
          .sub(meanSum)
          .sub(normal.mul(meanDot))
          .mul(r)
          .intoMemorySegment(target, begin + column, LE);
    }
  }

  private static void addGradient(
      LayerNorm n, long begin, float m, float r, float meanSum, float meanDot) {
    MemorySegment target = n.inputGrad().data();
    int vectors = Simd.vectors(n.x().cols());
    for (int v = 0; v < vectors; v++) {
      long column = 4L * v * LANES;
      FloatVector normal = fromMemorySegment(F, n.x().data(), begin + column, LE).sub(m).mul(r);
      fromMemorySegment(F, n.gamma().data(), column, LE)
          .mul(fromMemorySegment(F, n.out().data(), begin + column, LE))
          .sub(meanSum)
          .sub(normal.mul(meanDot))
          .mul(r)
          .add(fromMemorySegment(F, target, begin + column, LE))
          .intoMemorySegment(target, begin + column, LE);
    }
  }

  static void gamma(LayerNorm n, int from, int to, Matrix out, int outRow) {
    Matrix x = n.x();
    MemorySegment sums = out.data();
    int vectors = Simd.vectors(x.cols());
    for (int row = from; row < to; row++) {
      long begin = x.offset(row);
      float m = SimdRows.statistic(n.statistics(), row, 0);
      float r = SimdRows.statistic(n.statistics(), row, 1);
      for (int v = 0; v < vectors; v++) {
        long column = 4L * v * LANES;
        long at = out.offset(outRow) + column;
        FloatVector normal = fromMemorySegment(F, x.data(), begin + column, LE).sub(m).mul(r);
        fromMemorySegment(F, n.out().data(), begin + column, LE)
            .fma(normal, fromMemorySegment(F, sums, at, LE))
            .intoMemorySegment(sums, at, LE);
      }
    }
  }
}
