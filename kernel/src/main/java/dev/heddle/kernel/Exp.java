package dev.heddle.kernel;

/**
 * The exponential of arguments that are not positive, as softmax and ELU need it: within 1e-7 of
 * the true value, relatively, and zero below −87.
 *
 * <p>{@code e^x = 2^n · e^r} with {@code n = round(x / ln 2)} and {@code |r| ≤ ln 2 / 2}, where
 * {@code e^r = 1 + r + r² · P(r)} and P is a minimax polynomial of degree four. No fused operation,
 * so that {@link SimdExp} gives the same bits on any machine.
 */
final class Exp {
  /** Below this the result would lose bits. */
  static final float LOWEST = -87;

  static final float LOG2_E = 1.442695f;

  /** Added to a small float, 1.5 · 2^23 rounds it to an integer that stands in its lowest bits. */
  static final float ROUND = 0x1.8p23f;

  /** ln 2 in two parts, the first so short that its product with n is exact. */
  static final float LN2_HIGH = 0x1.63p-1f;

  static final float LN2_LOW = -2.1219444e-4f;

  static final float P0 = 0.49999994f;
  static final float P1 = 0.16666521f;
  static final float P2 = 0.041668255f;
  static final float P3 = 0.008368662f;
  static final float P4 = 0.0013821452f;

  static final int EXPONENT_BIAS = 127;
  static final int MANTISSA_BITS = 23;

  private Exp() {}

  /** {@code e^x} for x ≤ 0; NaN for NaN. */
  static float of(float x) {
    if (x < LOWEST) {
      return 0;
    }
    float shifted = x * LOG2_E + ROUND;
    return (restMinusOne(x, shifted) + 1) * power(shifted);
  }

  /** {@code e^x − 1} for x ≤ 0, exact also where x is small; NaN for NaN. */
  static float minusOne(float x) {
    if (x < LOWEST) {
      return -1;
    }
    float shifted = x * LOG2_E + ROUND;
    float power = power(shifted);
    return restMinusOne(x, shifted) * power + (power - 1);
  }

  /** {@code e^r − 1}. */
  private static float restMinusOne(float x, float shifted) {
    float n = shifted - ROUND;
    float r = (x - n * LN2_HIGH) - n * LN2_LOW;
    float p = (((P4 * r + P3) * r + P2) * r + P1) * r + P0;
    return p * (r * r) + r;
  }

  /** {@code 2^n}. */
  private static float power(float shifted) {
    int bits = (Float.floatToRawIntBits(shifted) + EXPONENT_BIAS) << MANTISSA_BITS;
    return Float.intBitsToFloat(bits);
  }
}
