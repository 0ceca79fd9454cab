package dev.heddle.kernel;

/**
 * The levels that a row's values are rounded to: {@code zero + q · step} for {@code q} from 0 to
 * {@code 2^bits − 1}. It travels before the row as two bfloat16 in four bytes.
 *
 * <p>Values are rounded to the grid as it is sent, and it must span them all, because what lies
 * outside could not be rounded without bias: {@code zero} is rounded down and {@code step} up. A
 * row of equal values that bfloat16 has, like zeros, gets a step of 0 and is exact. A row that is
 * not finite, or whose span is not, gets a step of NaN: it arrives as NaN, so that it shows.
 */
final class RowGrid {
  /** Bytes before a row. */
  static final int BYTES = 4;

  private static final int UPPER = 0xFFFF0000;
  private static final int NOT_A_NUMBER = 0x7FC00000;

  private RowGrid() {}

  /** The highest level. */
  static int top(int bits) {
    return (1 << bits) - 1;
  }

  /** The grid of values between two: the step in the upper half, the zero in the lower. */
  static int of(float min, float max, int bits) {
    float zero = Float.intBitsToFloat(down(min));
    float span = max - zero;
    if (!(span < Float.POSITIVE_INFINITY)) {
      return NOT_A_NUMBER;
    }
    if (span == 0) {
      return down(min) >>> 16;
    }
    // A step whose inverse is finite.
    int step = Float.floatToRawIntBits(Math.max(span / top(bits), Float.MIN_NORMAL));
    return ((step + ~UPPER) & UPPER) | (down(min) >>> 16);
  }

  /** The largest bfloat16 that is not above a value, as a float's bits. */
  private static int down(float value) {
    int bits = Float.floatToRawIntBits(value);
    return (bits < 0 ? bits + ~UPPER : bits) & UPPER;
  }

  static float zero(int grid) {
    return Float.intBitsToFloat(grid << 16);
  }

  static float step(int grid) {
    return Float.intBitsToFloat(grid & UPPER);
  }

  /** What distances from zero are multiplied by to count them in steps. */
  static float inverse(int grid) {
    float step = step(grid);
    return step == 0 ? 0 : 1 / step;
  }
}
