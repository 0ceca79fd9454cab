package dev.heddle.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** {@link Exp} of many values, with the same operations and the same bits. */
final class SimdExp {
  private static final VectorSpecies<Float> F = Simd.FLOATS;

  private SimdExp() {}

  /** Replaces the first {@code count} values, a multiple of the lanes, by their exponentials. */
  static void inPlace(float[] values, int count) {
    for (int i = 0; i < count; i += Simd.LANES) {
      of(FloatVector.fromArray(F, values, i)).intoArray(values, i);
    }
  }

  /** {@link Exp#of} of every lane. */
  static FloatVector of(FloatVector x) {
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
    FloatVector e = p.mul(r.mul(r)).add(r).add(1f).mul(power);
    return e.blend(0f, x.compare(VectorOperators.LT, Exp.LOWEST));
  }

  /** {@link Exp#minusOne} of every lane. */
  static FloatVector minusOne(FloatVector x) {
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
    FloatVector e = p.mul(r.mul(r)).add(r).mul(power).add(power.sub(1f));
    return e.blend(-1f, x.compare(VectorOperators.LT, Exp.LOWEST));
  }
}
