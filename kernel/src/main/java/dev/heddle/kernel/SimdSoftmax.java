package dev.heddle.kernel;

import static dev.heddle.kernel.RawMemory.ADDRESS;
import static dev.heddle.kernel.RawMemory.ALL;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.nio.ByteOrder;
import java.util.Objects;
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
    // The loops read and write addresses: that these lie in the operands is checked here.
    scores.requireAlive();
    grad.requireAlive();
    int cols = scores.cols();
    Objects.checkIndex(row, Math.min(scores.rows(), grad.rows()));
    Objects.checkIndex(label, Math.min(cols, grad.cols()));
    long x = scores.address(row) & ADDRESS;
    long g = grad.address(row) & ADDRESS;
    // Before the gradient, which may take the scores' place.
    float labelled = ALL.get(JAVA_FLOAT_UNALIGNED, x + 4L * label);
    float max = max(x, cols);
    SimdExp.below(x, max, g, Simd.vectors(cols));
    float sum = sum(g, cols);
    scale(g, cols, scale / sum);
    long labelAt = g + 4L * label;
    ALL.set(JAVA_FLOAT_UNALIGNED, labelAt, ALL.get(JAVA_FLOAT_UNALIGNED, labelAt) - scale);
    return Math.log(sum) + max - labelled;
  }

  private static float max(long row, int cols) {
    long x = row & ADDRESS;
    FloatVector max = FloatVector.broadcast(F, Float.NEGATIVE_INFINITY);
    for (int c = 0; c < cols; c += LANES) {
      FloatVector v = FloatVector.fromMemorySegment(F, ALL, x + 4L * c, LE);
      VectorMask<Float> inside = LANE.compare(VectorOperators.LT, (float) (cols - c));
      max = max.blend(v, v.compare(VectorOperators.GT, max).and(inside));
    }
    return max.reduceLanes(VectorOperators.MAX);
  }

  private static float sum(long row, int cols) {
    long x = row & ADDRESS;
    FloatVector sum = FloatVector.zero(F);
    for (int c = 0; c < cols; c += LANES) {
      FloatVector v = FloatVector.fromMemorySegment(F, ALL, x + 4L * c, LE);
      VectorMask<Float> inside = LANE.compare(VectorOperators.LT, (float) (cols - c));
      sum = sum.blend(sum.add(v), inside);
    }
    if (LANES == 8) {
      sum = sum.add(sum.rearrange(LaneSum.FOURS));
    }
    sum = sum.add(sum.rearrange(LaneSum.TWOS));
    return sum.add(sum.rearrange(LaneSum.ONES)).lane(0);
  }

  private static void scale(long row, int cols, float factor) {
    long g = row & ADDRESS;
    for (int c = 0; c < cols; c += LANES) {
      FloatVector.fromMemorySegment(F, ALL, g + 4L * c, LE)
          .mul(factor)
          .intoMemorySegment(ALL, g + 4L * c, LE);
    }
  }
}
