package dev.heddle.kernel;

import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/** {@link Draws#column} of neighbouring columns, one a lane. */
final class SimdDraws {
  private static final int GOLDEN = 0x9E3779B9;
  private static final IntVector LANE_COLUMNS = IntVector.zero(Simd.INTS).addIndex(1).mul(GOLDEN);

  private SimdDraws() {}

  /** The draws of the columns from {@code column} on. */
  static IntVector columns(int row, int column) {
    IntVector x = LANE_COLUMNS.add(row + column * GOLDEN);
    x = x.lanewise(VectorOperators.XOR, x.lanewise(VectorOperators.LSHR, 16)).mul(0x21F0AAAD);
    x = x.lanewise(VectorOperators.XOR, x.lanewise(VectorOperators.LSHR, 15)).mul(0x735A2D97);
    return x.lanewise(VectorOperators.XOR, x.lanewise(VectorOperators.LSHR, 15));
  }

  /** Which columns from {@code column} on are dropped: draws below the threshold, unsigned. */
  static VectorMask<Float> dropped(int row, int column, int threshold) {
    // AVX2 compares signed integers only; flipping the top bit turns one order into the other.
    IntVector draws = columns(row, column).lanewise(VectorOperators.XOR, Integer.MIN_VALUE);
    return draws.compare(VectorOperators.LT, threshold ^ Integer.MIN_VALUE).cast(Simd.FLOATS);
  }
}
