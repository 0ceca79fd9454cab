package dev.heddle.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/** {@link Exp} of every lane, with the same operations and the same bits. */
final class SimdExp {
  private SimdExp() {}

  static FloatVector of(FloatVector x) {
    FloatVector shifted = x.mul(Exp.LOG2_E).add(Exp.ROUND);
    FloatVector e = restMinusOne(x, shifted).add(1).mul(power(shifted));
    return e.blend(0, x.compare(VectorOperators.LT, Exp.LOWEST));
  }

  static FloatVector minusOne(FloatVector x) {
    FloatVector shifted = x.mul(Exp.LOG2_E).add(Exp.ROUND);
    FloatVector power = power(shifted);
    FloatVector e = restMinusOne(x, shifted).mul(power).add(power.sub(1));
    return e.blend(-1, x.compare(VectorOperators.LT, Exp.LOWEST));
  }

  private static FloatVector restMinusOne(FloatVector x, FloatVector shifted) {
    FloatVector n = shifted.sub(Exp.ROUND);
    FloatVector r = x.sub(n.mul(Exp.LN2_HIGH)).sub(n.mul(Exp.LN2_LOW));
    FloatVector p = r.mul(Exp.P4).add(Exp.P3);
    p = p.mul(r).add(Exp.P2);
    p = p.mul(r).add(Exp.P1);
    p = p.mul(r).add(Exp.P0);
    return p.mul(r.mul(r)).add(r);
  }

  private static FloatVector power(FloatVector shifted) {
    return shifted
        .reinterpretAsInts()
        .add(Exp.EXPONENT_BIAS)
        .lanewise(VectorOperators.LSHL, Exp.MANTISSA_BITS)
        .reinterpretAsFloats();
  }
}
