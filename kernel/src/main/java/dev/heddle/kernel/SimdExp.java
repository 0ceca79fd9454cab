package dev.heddle.kernel;

import static dev.heddle.kernel.RawMemory.ADDRESS;
import static dev.heddle.kernel.RawMemory.ALL;

import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * {@link Exp} of many values, with the same operations and the same bits.
 *
 * <p>The operations are written out in each loop: a method of one vector is too long for the
 * compiler to inline it always, and where it does not, vectors are objects.
 */
final class SimdExp {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final long V = F.vectorByteSize();

  private SimdExp() {}

  /** Replaces the first {@code count} values, a multiple of the lanes, by their exponentials. */
  static void inPlace(float[] values, int count) {
    for (int i = 0; i < count; i += Simd.LANES) {
      FloatVector x = FloatVector.fromArray(F, values, i);
      FloatVector shifted = x.mul(Exp.LOG2_E).add(Exp.ROUND);
      FloatVector n = shifted.sub(Exp.ROUND);
      FloatVector r = x.sub(n.mul(Exp.LN2_HIGH)).sub(n.mul(Exp.LN2_LOW));
      FloatVector p = r.mul(Exp.P4).add(Exp.P3);
      p = p.mul(r).add(Exp.P2);
      p = p.mul(r).add(Exp.P1);
      p = p.mul(r).add(Exp.P0);
      FloatVector power =
          shifted
              .reinterpretAsInts()
              .add(Exp.EXPONENT_BIAS)
              .lanewise(VectorOperators.LSHL, Exp.MANTISSA_BITS)
              .reinterpretAsFloats();
      p.mul(r.mul(r))
          .add(r)
          .add(1f)
          .mul(power)
          .blend(0f, x.compare(VectorOperators.LT, Exp.LOWEST))
          .intoArray(values, i);
    }
  }

  /**
   * Writes the exponentials of vectors of {@code values − max} from one address to another; the
   * caller has checked both.
   */
  static void below(long from, float max, long to, int vectors) {
    long values = from & ADDRESS;
    long out = to & ADDRESS;
    for (int i = 0; i < vectors; i++) {
      FloatVector x = FloatVector.fromMemorySegment(F, ALL, values + i * V, LE).sub(max);
      FloatVector shifted = x.mul(Exp.LOG2_E).add(Exp.ROUND);
      FloatVector n = shifted.sub(Exp.ROUND);
      FloatVector r = x.sub(n.mul(Exp.LN2_HIGH)).sub(n.mul(Exp.LN2_LOW));
      FloatVector p = r.mul(Exp.P4).add(Exp.P3);
      p = p.mul(r).add(Exp.P2);
      p = p.mul(r).add(Exp.P1);
      p = p.mul(r).add(Exp.P0);
      FloatVector power =
          shifted
              .reinterpretAsInts()
              .add(Exp.EXPONENT_BIAS)
              .lanewise(VectorOperators.LSHL, Exp.MANTISSA_BITS)
              .reinterpretAsFloats();
      p.mul(r.mul(r))
          .add(r)
          .add(1f)
          .mul(power)
          .blend(0f, x.compare(VectorOperators.LT, Exp.LOWEST))
          .intoMemorySegment(ALL, out + i * V, LE);
    }
  }

  /** Replaces values below zero by {@link Exp#minusOne}, at an address. */
  static void minusOneBelowZero(long address, int vectors) {
    long values = address & ADDRESS;
    for (int i = 0; i < vectors; i++) {
      FloatVector all = FloatVector.fromMemorySegment(F, ALL, values + i * V, LE);
      // Only what is below zero goes through the exponential: above it would overflow.
      FloatVector x = all.min(0f);
      FloatVector shifted = x.mul(Exp.LOG2_E).add(Exp.ROUND);
      FloatVector n = shifted.sub(Exp.ROUND);
      FloatVector r = x.sub(n.mul(Exp.LN2_HIGH)).sub(n.mul(Exp.LN2_LOW));
      FloatVector p = r.mul(Exp.P4).add(Exp.P3);
      p = p.mul(r).add(Exp.P2);
      p = p.mul(r).add(Exp.P1);
      p = p.mul(r).add(Exp.P0);
      FloatVector power =
          shifted
              .reinterpretAsInts()
              .add(Exp.EXPONENT_BIAS)
              .lanewise(VectorOperators.LSHL, Exp.MANTISSA_BITS)
              .reinterpretAsFloats();
      p.mul(r.mul(r))
          .add(r)
          .mul(power)
          .add(power.sub(1f))
          .blend(-1f, x.compare(VectorOperators.LT, Exp.LOWEST))
          .blend(all, all.compare(VectorOperators.GT, 0f))
          .intoMemorySegment(ALL, values + i * V, LE);
    }
  }
}
