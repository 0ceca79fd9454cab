package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Softmax cross-entropy of a row by the Vector API. The last vector may reach into padding, which
 * is kept out of the maximum and the sum. A NaN among the scores is no maximum, but makes the sum
 * and so the loss NaN.
 */
final class SimdSoftmax {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final int LANES = Simd.LANES;
  private static final FloatVector LANE = FloatVector.zero(F).addIndex(1);

  private SimdSoftmax() {}

  static double crossEntropy(Matrix scores, int row, int label, float scale, Matrix grad) {
    MemorySegment x = scores.data();
    MemorySegment g = grad.data();
    int cols = scores.cols();
    long at = scores.offset(row);
    long labelAt = at + 4L * label;
    float max = max(x, at, cols);
    float sum = exponentials(x, at, cols, max, g);
    scale(g, at, cols, scale / sum);
    g.set(JAVA_FLOAT, labelAt, g.get(JAVA_FLOAT, labelAt) - scale);
    return Math.log(sum) + max - x.get(JAVA_FLOAT, labelAt);
  }

  private static float max(MemorySegment x, long at, int cols) {
    FloatVector max = FloatVector.broadcast(F, Float.NEGATIVE_INFINITY);
    for (int c = 0; c < cols; c += LANES) {
      FloatVector v = SimdRows.load(x, at + 4L * c);
      max = max.blend(v, v.compare(VectorOperators.GT, max).and(inside(c, cols)));
    }
    return max.reduceLanes(VectorOperators.MAX);
  }

  /** Writes {@code e^(x − max)} and returns the sum. */
  private static float exponentials(
      MemorySegment x, long at, int cols, float max, MemorySegment g) {
    FloatVector sum = FloatVector.zero(F);
    for (int c = 0; c < cols; c += LANES) {
      FloatVector e = SimdExp.of(SimdRows.load(x, at + 4L * c).sub(max));
      e.intoMemorySegment(g, at + 4L * c, LE);
      sum = sum.blend(sum.add(e), inside(c, cols));
    }
    return LaneSum.of(sum);
  }

  private static void scale(MemorySegment g, long at, int cols, float factor) {
    for (int c = 0; c < cols; c += LANES) {
      SimdRows.load(g, at + 4L * c).mul(factor).intoMemorySegment(g, at + 4L * c, LE);
    }
  }

  /**
   * Which lanes of the vector at column {@code c} are columns. Asked of every vector: to choose a
   * mask for the last one alone would make the compiler allocate it.
   */
  private static VectorMask<Float> inside(int c, int cols) {
    return LANE.compare(VectorOperators.LT, (float) (cols - c));
  }
}
