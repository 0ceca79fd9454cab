package dev.heddle.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/** {@link Exp} of every lane, with the same operations and the same bits. */
final class SimdExp {
  private SimdExp() {}

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
    FloatVector e = p.mul(r.mul(r)).add(r).add(1).mul(power);
    return e.blend(0, x.compare(VectorOperators.LT, Exp.LOWEST));
  }
}
