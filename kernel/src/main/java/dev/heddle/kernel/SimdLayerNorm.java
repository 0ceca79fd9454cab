package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

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
        FloatVector normal = SimdRows.load(data, begin + column).sub(mean).mul(r);
        SimdRows.load(n.gamma().data(), column)
            .fma(normal, SimdRows.load(n.beta().data(), column))
            .intoMemorySegment(out, begin + column, LE);
      }
    }
  }

  private static float sum(MemorySegment data, long begin, int cols) {
    FloatVector sum = FloatVector.zero(F);
    int c = 0;
    for (; c + LANES <= cols; c += LANES) {
      sum = sum.add(SimdRows.load(data, begin + 4L * c));
    }
    if (c < cols) {
      VectorMask<Float> rest = F.indexInRange(c, cols);
      sum = sum.add(SimdRows.load(data, begin + 4L * c), rest);
    }
    return LaneSum.of(sum);
  }

  private static float squares(MemorySegment data, long begin, int cols, float mean) {
    FloatVector sum = FloatVector.zero(F);
    int c = 0;
    for (; c + LANES <= cols; c += LANES) {
      FloatVector d = SimdRows.load(data, begin + 4L * c).sub(mean);
      sum = d.fma(d, sum);
    }
    if (c < cols) {
      FloatVector d = SimdRows.load(data, begin + 4L * c).sub(mean);
      sum = sum.add(d.mul(d), F.indexInRange(c, cols));
    }
    return LaneSum.of(sum);
  }

  static void backward(LayerNorm n, int from, int to) {
    Matrix x = n.x();
    MemorySegment data = x.data();
    MemorySegment grad = n.out().data();
    MemorySegment target = n.inputGrad().data();
    MemorySegment gamma = n.gamma().data();
    int cols = x.cols();
    int vectors = Simd.vectors(cols);
    for (int row = from; row < to; row++) {
      long begin = x.offset(row);
      float m = SimdRows.statistic(n.statistics(), row, 0);
      float r = SimdRows.statistic(n.statistics(), row, 1);
      FloatVector sums = FloatVector.zero(F);
      FloatVector dots = FloatVector.zero(F);
      for (int v = 0; v < vectors; v++) {
        long column = 4L * v * LANES;
        FloatVector h = SimdRows.load(gamma, column).mul(SimdRows.load(grad, begin + column));
        FloatVector normal = SimdRows.load(data, begin + column).sub(m).mul(r);
        if ((v + 1) * LANES <= cols) {
          sums = sums.add(h);
          dots = h.fma(normal, dots);
        } else {
          VectorMask<Float> rest = F.indexInRange(v * LANES, cols);
          sums = sums.add(h, rest);
          dots = dots.add(h.mul(normal), rest);
        }
      }
      float meanSum = LaneSum.of(sums) / cols;
      float meanDot = LaneSum.of(dots) / cols;
      for (int v = 0; v < vectors; v++) {
        long column = 4L * v * LANES;
        FloatVector h = SimdRows.load(gamma, column).mul(SimdRows.load(grad, begin + column));
        FloatVector normal = SimdRows.load(data, begin + column).sub(m).mul(r);
        FloatVector value = h.sub(meanSum).sub(normal.mul(meanDot)).mul(r);
        if (n.add()) {
          // Not by the helper: in a method of this size the compiler no longer inlines it.
          value = value.add(FloatVector.fromMemorySegment(F, target, begin + column, LE));
        }
        value.intoMemorySegment(target, begin + column, LE);
      }
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
        FloatVector normal = SimdRows.load(x.data(), begin + column).sub(m).mul(r);
        SimdRows.load(n.out().data(), begin + column)
            .fma(normal, SimdRows.load(sums, at))
            .intoMemorySegment(sums, at, LE);
      }
    }
  }
}
