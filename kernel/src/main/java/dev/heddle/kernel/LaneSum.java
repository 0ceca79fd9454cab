package dev.heddle.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorShuffle;

/**
 * The sum of a vector's lanes, always halves onto halves. {@code reduceLanes} leaves the order
 * open, and interpreted and compiled code would differ in the last bit.
 */
final class LaneSum {
  static final VectorShuffle<Float> FOURS = swap(4);
  static final VectorShuffle<Float> TWOS = swap(2);
  static final VectorShuffle<Float> ONES = swap(1);

  private LaneSum() {}

  static float of(FloatVector v) {
    FloatVector sum = v;
    if (Simd.LANES == 8) {
      sum = sum.add(sum.rearrange(FOURS));
    }
    sum = sum.add(sum.rearrange(TWOS));
    return sum.add(sum.rearrange(ONES)).lane(0);
  }

  /** Changes places with the lane {@code distance} away. */
  private static VectorShuffle<Float> swap(int distance) {
    return VectorShuffle.fromOp(Simd.FLOATS, lane -> (lane ^ distance) % Simd.LANES);
  }
}
