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
 * is kept out of the maximum and the sum by a mask for every vector: one for the last vector alone
 * would be an object. A NaN among the scores is no maximum, but makes the sum and so the loss NaN.
 */
final class SimdSoftmax {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final int LANES = Simd.LANES;

  /** The number of each lane. */
  private static final FloatVector LANE = FloatVector.zero(F).addIndex(1);

  private SimdSoftmax() {}

  static double crossEntropy(Matrix scores, int row, int label, float scale, Matrix grad) {
    MemorySegment x = scores.data();
    MemorySegment g = grad.data();
    int cols = scores.cols();
    long at = scores.offset(row);
    long labelAt = at + 4L * label;
    // Before the gradient, which may take the scores' place.
    float labelled = x.get(JAVA_FLOAT, labelAt);
    float max = max(x, at, cols);
    below(x, at, cols, max, g);
    SimdExp.inPlace(g, at, Simd.vectors(cols));
    float sum = sum(g, at, cols);
    scale(g, at, cols, scale / sum);
    g.set(JAVA_FLOAT, labelAt, g.get(JAVA_FLOAT, labelAt) - scale);
    return Math.log(sum) + max - labelled;
  }

  private static float max(MemorySegment x, long at, int cols) {
    FloatVector max = FloatVector.broadcast(F, Float.NEGATIVE_INFINITY);
    for (int c = 0; c < cols; c += LANES) {
      FloatVector v = FloatVector.fromMemorySegment(F, x, at + 4L * c, LE);
      VectorMask<Float> inside = LANE.compare(VectorOperators.LT, (float) (cols - c));
      max = max.blend(v, v.compare(VectorOperators.GT, max).and(inside));
    }
    return max.reduceLanes(VectorOperators.MAX);
  }

  /** Writes {@code x − max}. */
  private static void below(MemorySegment x, long at, int cols, float max, MemorySegment out) {
    for (int c = 0; c < cols; c += LANES) {
      FloatVector.fromMemorySegment(F, x, at + 4L * c, LE)
          .sub(max)
          .intoMemorySegment(out, at + 4L * c, LE);
    }
  }

  private static float sum(MemorySegment x, long at, int cols) {
    FloatVector sum = FloatVector.zero(F);
    for (int c = 0; c < cols; c += LANES) {
      FloatVector v = FloatVector.fromMemorySegment(F, x, at + 4L * c, LE);
      VectorMask<Float> inside = LANE.compare(VectorOperators.LT, (float) (cols - c));
      sum = sum.blend(sum.add(v), inside);
    }
    if (LANES == 8) {
      sum = sum.add(sum.rearrange(LaneSum.FOURS));
    }
    sum = sum.add(sum.rearrange(LaneSum.TWOS));
    return sum.add(sum.rearrange(LaneSum.ONES)).lane(0);
  }

  private static void scale(MemorySegment g, long at, int cols, float factor) {
    for (int c = 0; c < cols; c += LANES) {
      FloatVector.fromMemorySegment(F, g, at + 4L * c, LE)
          .mul(factor)
          .intoMemorySegment(g, at + 4L * c, LE);
    }
  }
}
