package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HalfCopyTest {
  private static final int ROWS = 70;

  /** Zeros, infinities, a NaN whose upper half alone would be infinity, and ties to even. */
  private static final int[] SPECIAL = {
    0x00000000,
    0x80000000,
    0x3F800000,
    0x7FC00000,
    0x7F800001,
    0xFFFFFFFF,
    0x7F800000,
    0xFF800000,
    0x7F7FFFFF,
    0x00000001,
    0x3F808000,
    0x3F818000,
    0x3F808001,
    0xBF818000,
    0x3F807FFF
  };

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();

  @AfterEach
  void free() {
    memory.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 7, 8, 9, 15, 16, 17, 33, 65})
  void roundsToNearestEven(int cols) {
    Matrix x = TestMatrix.random(memory, random, ROWS, cols);
    for (int i = 0; i < SPECIAL.length; i++) {
      x.set(ROWS - 1 - i, i % cols, Float.intBitsToFloat(SPECIAL[i]));
    }
    HalfMatrix scalar = HalfMatrix.allocate(memory, ROWS, cols);
    new ScalarRows().narrow(x, scalar, 0, ROWS);
    assertRounded(x, scalar);
    HalfMatrix simd = HalfMatrix.allocate(memory, ROWS, cols);
    new SimdRows().narrow(x, simd, 0, ROWS);
    assertRounded(x, simd);
  }

  @Test
  void copiesWithAnyThreads() {
    int rows = 1100;
    Matrix x = TestMatrix.random(memory, random, rows, 9);
    for (int threads = 1; threads <= 3; threads++) {
      HalfCopy copy = new HalfCopy(HalfMatrix.allocate(memory, rows, 9));
      try (ThreadTeam team = ThreadTeam.of(threads)) {
        assertRounded(x, copy.run(team, rows, x));
      }
    }
  }

  private static void assertRounded(Matrix x, HalfMatrix half) {
    for (int r = 0; r < x.rows(); r++) {
      for (int c = 0; c < x.cols(); c++) {
        float expected = rounded(x.get(r, c));
        if (Float.compare(half.get(r, c), expected) != 0) {
          assertThat(half.get(r, c)).as("%s", x.get(r, c)).isEqualTo(expected);
        }
      }
    }
  }

  /** The nearer of the two bfloat16 around a value, of equally near ones the even. */
  private static float rounded(float value) {
    if (Float.isNaN(value) || Float.isInfinite(value)) {
      return value;
    }
    int low = Float.floatToRawIntBits(value) & 0xFFFF0000;
    int high = low + 0x10000;
    double below = Math.abs(value - (double) Float.intBitsToFloat(low));
    // Beyond the largest finite value the next step counts as long as the one before it.
    float next = Float.intBitsToFloat(high);
    double above =
        Float.isInfinite(next)
            ? Math.ulp(Float.MAX_VALUE) * 65536.0 - below
            : Math.abs(next - (double) value);
    boolean even = (low & 0x10000) == 0;
    return below < above || (below == above && even) ? Float.intBitsToFloat(low) : next;
  }
}
