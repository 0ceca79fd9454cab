package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuantisedRowsTest {
  private static final int[] WIDTHS = {2, 4, 8};

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();
  private final ThreadTeam workers = ThreadTeam.of(2);

  @AfterEach
  void free() {
    workers.close();
    memory.close();
  }

  /** Rows of one list with any mix of widths: SIMD packs and unpacks what the reference does. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 129})
  void simdIsTheReference(int cols) {
    int n = 300;
    Matrix x = TestMatrix.gaussian(memory, random, n, cols);
    special(x);
    int[] list = IntStream.range(0, n).filter(_ -> random.nextInt(4) > 0).toArray();
    QuantisedRows rows = QuantisedRows.of(memory, list, null, 8);
    byte[] widths = new byte[list.length];
    for (int i = 0; i < widths.length; i++) {
      widths[i] = (byte) WIDTHS[random.nextInt(3)];
    }
    rows.widths(widths);
    long expectedBytes = 0;
    for (byte bits : widths) {
      expectedBytes += 4 + (cols * bits + 7) / 8;
    }
    assertThat(rows.bytes(cols)).isEqualTo(expectedBytes);
    MemorySegment packed = memory.allocate(expectedBytes).asSlice(0, expectedBytes);
    rows.pack(workers, x, packed, 5);
    byte[] whole = packed.toArray(JAVA_BYTE);
    byte[][] made = new byte[2][];
    float[][][] back = new float[4][][];
    QuantKernels[] both = {new ScalarQuant(), new SimdQuant()};
    for (int k = 0; k < 2; k++) {
      QuantKernels kernel = both[k];
      packed.fill((byte) 0x55);
      each(
          list,
          widths,
          cols,
          (row, bits, at) -> {
            float _ = kernel.pack(x, row, bits, (int) Draws.at(5, row), packed, at);
          });
      made[k] = packed.toArray(JAVA_BYTE);
      Matrix y = TestMatrix.nan(memory, n, cols);
      y.fill(7);
      each(list, widths, cols, (row, bits, at) -> kernel.unpack(packed, at, bits, y, row));
      back[k] = y.toArray();
      MemorySegment.copy(x.data(), 0, y.data(), 0, Matrix.bytes(n, cols));
      each(list, widths, cols, (row, bits, at) -> kernel.add(packed, at, bits, y, row));
      back[2 + k] = y.toArray();
    }
    assertThat(made[0]).isEqualTo(whole);
    assertThat(made[1]).isEqualTo(made[0]);
    assertThat(back[1]).isDeepEqualTo(back[0]);
    assertThat(back[3]).isDeepEqualTo(back[2]);
    for (int i = 0; i < list.length; i++) {
      float[] row = x.toArray()[list[i]];
      for (int c = 0; c < cols; c++) {
        assertThat(back[2][list[i]][c]).isEqualTo(row[c] + back[0][list[i]][c]);
      }
    }
  }

  private interface Loop {
    void run(int row, int bits, long at);
  }

  /** Rows in the order in which they travel. */
  private static void each(int[] list, byte[] widths, int cols, Loop kernel) {
    long at = 0;
    for (int bits : WIDTHS) {
      for (int i = 0; i < list.length; i++) {
        if (widths[i] == bits) {
          kernel.run(list[i], bits, at);
          at += QuantisedRows.rowBytes(bits, cols);
        }
      }
    }
  }

  /** Rows that are zero, constant, tiny, huge, one-sided, or have an outlier. */
  private static void special(Matrix x) {
    for (int c = 0; c < x.cols(); c++) {
      x.set(0, c, 0);
      x.set(1, c, 0.1f);
      x.set(2, c, x.get(2, c) * 1e-40f);
      x.set(3, c, x.get(3, c) * 1e37f);
      x.set(4, c, Math.max(0, x.get(4, c)));
      x.set(5, c, 1000 + x.get(5, c) * 1e-3f);
      x.set(6, c, -Math.max(0, x.get(6, c)));
    }
    x.set(7, x.cols() - 1, 1e4f);
  }

  /** Everything between the least and the largest value can be met, so that nothing is clipped. */
  @Test
  void gridsSpanTheirRows() {
    for (int i = 0; i < 200_000; i++) {
      float a = Float.intBitsToFloat(random.nextInt());
      float b = random.nextBoolean() ? a * (float) random.nextGaussian() : (float) i;
      float min = Math.min(a, b);
      float max = Math.max(a, b);
      for (int bits : WIDTHS) {
        int grid = RowGrid.of(min, max, bits);
        float zero = RowGrid.zero(grid);
        double step = RowGrid.step(grid);
        if (Double.isNaN(step)) {
          // Nor has bfloat16 anything below this.
          boolean lowest = !(min >= -0x1.FEp127f);
          assertThat(lowest || max - (min - Math.abs(min / 64)) > 0x1.FCp127f).isTrue();
          continue;
        }
        assertThat(zero).isLessThanOrEqualTo(min);
        double top = zero + step * RowGrid.top(bits);
        double slack = 1e-6 * (Math.abs((double) max) + Math.abs((double) zero));
        assertThat(top).isGreaterThanOrEqualTo(max - slack);
        // What rounding to bfloat16 costs: a 128th of the zero point and of the step.
        double span = (double) max - min + Math.abs((double) min) / 128 + 1e-40;
        assertThat(step)
            .isLessThanOrEqualTo(Math.max(span / RowGrid.top(bits) * 1.01, 1.01 * 0x1p-126));
      }
    }
  }

  /**
   * E[ĥ] = h: the mean of R draws is within 4σ/√R, σ² = f (1 − f) S² for a value at a share f of
   * the way between two levels that are S apart as sent. Of so many values some would be further
   * off: seeds are fixed.
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  void isUnbiased(int bits) {
    int cols = 37;
    int repeats = 12_000;
    long seed = 1;
    Matrix x = TestMatrix.gaussian(memory, new SplittableRandom(seed), 12, cols);
    special(x);
    double[][] sum = new double[12][cols];
    double[][] squares = new double[12][cols];
    QuantisedRows rows = QuantisedRows.of(memory, IntStream.range(0, 12).toArray(), null, bits);
    MemorySegment packed = memory.allocate(rows.bytes(cols));
    Matrix y = TestMatrix.nan(memory, 12, cols);
    for (int i = 0; i < repeats; i++) {
      rows.pack(workers, x, packed, Draws.key(Draws.Domain.QUANTISE, seed, i, 0, 0));
      rows.unpack(workers, packed, y);
      for (int r = 0; r < 12; r++) {
        for (int c = 0; c < cols; c++) {
          double error = (double) y.get(r, c) - x.get(r, c);
          sum[r][c] += error;
          squares[r][c] += error * error;
        }
      }
    }
    for (int r = 0; r < 12; r++) {
      int grid = packed.get(JAVA_INT_UNALIGNED, r * (4L + (cols * bits + 7) / 8));
      double step = RowGrid.step(grid);
      for (int c = 0; c < cols; c++) {
        double mean = sum[r][c] / repeats;
        double level = step == 0 ? 0 : (x.get(r, c) - RowGrid.zero(grid)) / step;
        double share = level - Math.floor(level);
        double sigma = step * Math.sqrt(share * (1 - share));
        // Arithmetic in floats, of numbers up to |zero| + 255 steps, adds its own rounding.
        double rounding = 3e-7 * (Math.abs(x.get(r, c)) + step * RowGrid.top(bits));
        assertThat(Math.abs(mean))
            .as("row %d column %d value %s", r, c, x.get(r, c))
            .isLessThanOrEqualTo(4 * sigma / Math.sqrt(repeats) + rounding);
        assertThat(Math.sqrt(squares[r][c] / repeats)).isLessThanOrEqualTo(0.51 * step + rounding);
      }
    }
    for (int c = 0; c < cols; c++) {
      assertThat(squares[0][c]).as("zeros are exact").isZero();
      if (x.get(4, c) == 0) {
        assertThat(squares[4][c]).as("zeros after a ReLU are exact").isZero();
      }
    }
  }

  /** Var[ĥ] = D · S²/6 summed over a Gaussian row, S being the step as sent; at most D · S²/4. */
  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  void varianceIsThatOfTheModel(int bits) {
    int cols = 256;
    int n = 4000;
    Matrix x = TestMatrix.gaussian(memory, random, n, cols);
    QuantisedRows rows = QuantisedRows.of(memory, IntStream.range(0, n).toArray(), null, bits);
    MemorySegment packed = memory.allocate(rows.bytes(cols));
    rows.pack(workers, x, packed, random.nextLong());
    Matrix y = TestMatrix.nan(memory, n, cols);
    rows.unpack(workers, packed, y);
    double measured = 0;
    double model = 0;
    double unrounded = 0;
    for (int r = 0; r < n; r++) {
      double step =
          RowGrid.step(packed.get(JAVA_INT_UNALIGNED, r * QuantisedRows.rowBytes(bits, cols)));
      float[] row = new float[cols];
      for (int c = 0; c < cols; c++) {
        row[c] = x.get(r, c);
        measured += Math.pow(y.get(r, c) - row[c], 2);
      }
      Arrays.sort(row);
      model += cols * step * step / 6;
      unrounded += cols * Math.pow((row[cols - 1] - row[0]) / RowGrid.top(bits), 2) / 6;
      assertThat(rows.squaredRange(r))
          .isEqualTo((row[cols - 1] - row[0]) * (row[cols - 1] - row[0]));
    }
    assertThat(measured / model).isBetween(0.97, 1.03);
    // What a header of four bytes costs.
    assertThat(model / unrounded).isBetween(1.0, 1.03);
  }

  /**
   * No row has much more than D · S²/6, whatever is in it. Its worst case, all values between two
   * levels, is 1.5 of that, and sampling adds its own.
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  void varianceIsNeverFarAboveTheModel(int bits) {
    int cols = 256;
    int n = 40;
    int repeats = 200;
    Matrix x = TestMatrix.gaussian(memory, random, n, cols);
    for (int r = 0; r < n; r++) {
      for (int c = 0; c < cols; c++) {
        switch (r % 4) {
          case 1 -> x.set(r, c, Math.max(0, x.get(r, c)));
          case 2 -> x.set(r, c, c == r ? 1000 : x.get(r, c));
          // Half a step off all levels, but for the ends of the grid.
          case 3 -> x.set(r, c, c < 2 ? c * RowGrid.top(bits) : 0.5f + c % RowGrid.top(bits));
          default -> {}
        }
      }
    }
    QuantisedRows rows = QuantisedRows.of(memory, IntStream.range(0, n).toArray(), null, bits);
    MemorySegment packed = memory.allocate(rows.bytes(cols));
    Matrix y = TestMatrix.nan(memory, n, cols);
    double[] measured = new double[n];
    for (int i = 0; i < repeats; i++) {
      rows.pack(workers, x, packed, Draws.key(Draws.Domain.QUANTISE, random.nextLong(), i, 0, 0));
      rows.unpack(workers, packed, y);
      for (int r = 0; r < n; r++) {
        for (int c = 0; c < cols; c++) {
          measured[r] += Math.pow(y.get(r, c) - x.get(r, c), 2) / repeats;
        }
      }
    }
    for (int r = 0; r < n; r++) {
      double step =
          RowGrid.step(packed.get(JAVA_INT_UNALIGNED, r * QuantisedRows.rowBytes(bits, cols)));
      double ratio = measured[r] / (cols * step * step / 6);
      assertThat(ratio).as("row %d", r).isLessThan(1.5 * 1.02);
      if (r % 4 == 3) {
        assertThat(ratio).as("row %d, between levels", r).isGreaterThan(1.3);
      }
    }
  }

  /** Levels next to each other do not touch, whatever their number; spare bits are zero. */
  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  void levelsDoNotOverflow(int bits) {
    int top = (1 << bits) - 1;
    for (int cols = 2; cols <= 3 * 8 + 1; cols++) {
      int n = 40;
      Matrix x = TestMatrix.nan(memory, n, cols);
      for (int r = 0; r < n; r++) {
        for (int c = 0; c < cols; c++) {
          // Levels themselves, most of them the highest; both ends of the grid are there.
          x.set(r, c, random.nextInt(3) > 0 ? top : random.nextInt(top + 1));
        }
        x.set(r, r % cols, 0);
        x.set(r, (r + 1) % cols, top);
      }
      QuantisedRows rows = QuantisedRows.of(memory, IntStream.range(0, n).toArray(), null, bits);
      long bytes = rows.bytes(cols);
      assertThat(bytes).isEqualTo(n * (4L + (cols * bits + 7) / 8));
      MemorySegment packed = memory.allocate(bytes + 8);
      packed.fill((byte) -1);
      rows.pack(workers, x, packed.asSlice(0, bytes), random.nextLong());
      assertThat(packed.get(JAVA_BYTE, bytes)).isEqualTo((byte) -1);
      Matrix y = TestMatrix.nan(memory, n, cols);
      rows.unpack(workers, packed, y);
      assertThat(y.toArray()).isDeepEqualTo(x.toArray());
      for (int r = 0; r < n; r++) {
        long last = (r + 1) * (bytes / n) - 1;
        int used = (cols * bits - 1) % 8 + 1;
        assertThat((packed.get(JAVA_BYTE, last) & 0xFF) >>> used).isZero();
      }
    }
  }

  /**
   * A value of the top level, divided by a step below 1, can come out above it: the inverse is
   * rounded. Stochastic rounding then goes to the level above the top in one of some 60,000 draws,
   * and without the clamp its bits would run into those of the next value, which are zero here.
   */
  @Test
  void whatIsAboveTheTopLevelStaysThere() {
    int cols = 4000;
    int top = 255;
    List<Float> steps = new ArrayList<>();
    for (int step = 0x3E80; step < 0x3F80; step++) {
      float width = Float.intBitsToFloat(step << 16);
      if (top * width * (1 / width) > top) {
        steps.add(width);
      }
    }
    assertThat(steps).as("steps of which the top level comes out above it").hasSizeGreaterThan(20);
    int n = steps.size();
    Matrix x = TestMatrix.nan(memory, n, cols);
    for (int r = 0; r < n; r++) {
      for (int c = 0; c < cols; c++) {
        x.set(r, c, c % 2 == 0 ? top * steps.get(r) : 0);
      }
    }
    QuantisedRows rows = QuantisedRows.of(memory, IntStream.range(0, n).toArray(), null, 8);
    MemorySegment packed = memory.allocate(rows.bytes(cols));
    Matrix y = TestMatrix.nan(memory, n, cols);
    for (int draw = 0; draw < 20; draw++) {
      rows.pack(workers, x, packed, random.nextLong());
      rows.unpack(workers, packed, y);
      assertThat(y.toArray()).isDeepEqualTo(x.toArray());
    }
  }

  /** A row has the same bits wherever it lies and whoever packs it. */
  @Test
  void bitsDependOnIdsAlone() {
    int n = 1500;
    int cols = 20;
    Matrix x = TestMatrix.gaussian(memory, random, n, cols);
    QuantisedRows all =
        QuantisedRows.of(memory, IntStream.range(0, n).toArray(), RowIds.of(memory, ids(n)), 4);
    MemorySegment once = memory.allocate(all.bytes(cols));
    all.pack(workers, x, once, 99);
    for (int threads = 1; threads <= 3; threads += 2) {
      try (ThreadTeam team = ThreadTeam.of(threads)) {
        MemorySegment again = memory.allocate(all.bytes(cols));
        all.pack(team, x, again, 99);
        assertThat(again.mismatch(once)).isEqualTo(-1);
      }
    }
    // Every third row, in a matrix of its own.
    int[] own = IntStream.range(0, n / 3).map(i -> 3 * i).toArray();
    Matrix part = TestMatrix.nan(memory, own.length, cols);
    for (int i = 0; i < own.length; i++) {
      part.setRow(i, x.toArray()[own[i]]);
    }
    int[] names = Arrays.stream(own).map(v -> ids(n)[v]).toArray();
    QuantisedRows some =
        QuantisedRows.of(
            memory, IntStream.range(0, own.length).toArray(), RowIds.of(memory, names), 4);
    MemorySegment packed = memory.allocate(some.bytes(cols));
    some.pack(workers, part, packed, 99);
    long row = QuantisedRows.rowBytes(4, cols);
    for (int i = 0; i < own.length; i++) {
      assertThat(packed.asSlice(i * row, row).mismatch(once.asSlice(own[i] * row, row)))
          .isEqualTo(-1);
    }
  }

  /** Rows one at a time, in any order, have the bytes that they have in a list. */
  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  void oneRowIsLikeThoseOfAList(int bits) {
    int n = 60;
    int cols = 1 + random.nextInt(40);
    Matrix x = TestMatrix.gaussian(memory, random, n, cols);
    special(x);
    long key = random.nextLong();
    RowIds names = RowIds.of(memory, ids(n));
    QuantisedRows list = QuantisedRows.of(memory, IntStream.range(0, n).toArray(), names, bits);
    MemorySegment packed = memory.allocate(list.bytes(cols));
    list.pack(workers, x, packed, key);
    Matrix expected = TestMatrix.nan(memory, n, cols);
    list.unpack(workers, packed, expected);
    RowRounding rounding = new RowRounding(bits, key);
    long bytes = rounding.bytes(cols);
    assertThat(n * bytes).isEqualTo(list.bytes(cols));
    MemorySegment one = memory.allocate(bytes + 1).asSlice(1, bytes);
    Matrix y = TestMatrix.nan(memory, 1, cols);
    for (int row = n - 1; row >= 0; row--) {
      rounding.pack(x, row, names.at(row), one, 0);
      assertThat(one.mismatch(packed.asSlice(row * bytes, bytes))).isEqualTo(-1);
      rounding.unpack(one, 0, y, 0);
      assertThat(y.toArray()[0]).isEqualTo(expected.toArray()[row]);
    }
    assertThatThrownBy(() -> new RowRounding(3, key)).hasMessageContaining("2, 4 or 8 bits, not 3");
  }

  private static int[] ids(int n) {
    return IntStream.range(0, n).map(i -> 7 * i + 3).toArray();
  }

  @Test
  void whatIsNotFiniteArrivesAsNan() {
    float[] bad = {
      Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.MAX_VALUE,
    };
    int cols = 19;
    Matrix x = TestMatrix.gaussian(memory, random, bad.length + 1, cols);
    for (int r = 0; r < bad.length; r++) {
      x.set(r, random.nextInt(1, cols), bad[r]);
    }
    x.set(3, 0, -Float.MAX_VALUE);
    for (int bits : WIDTHS) {
      QuantisedRows rows = QuantisedRows.of(memory, new int[] {0, 1, 2, 3, 4}, null, bits);
      MemorySegment packed = memory.allocate(rows.bytes(cols));
      rows.pack(workers, x, packed, 1);
      Matrix y = TestMatrix.zeros(memory, x.rows(), cols);
      rows.unpack(workers, packed, y);
      for (int r = 0; r < bad.length; r++) {
        for (int c = 0; c < cols; c++) {
          assertThat(y.get(r, c)).isNaN();
        }
      }
      double range = Math.sqrt(rows.squaredRange(4));
      for (int c = 0; c < cols; c++) {
        assertThat((double) y.get(4, c)).isCloseTo(x.get(4, c), within(0.4 * range));
      }
    }
  }

  @Test
  void tracesAddUpAndAreCleared() {
    Matrix x = TestMatrix.gaussian(memory, random, 3, 9);
    QuantisedRows rows = QuantisedRows.of(memory, new int[] {2, 0, 1}, null, 2);
    MemorySegment packed = memory.allocate(rows.bytes(9));
    rows.pack(workers, x, packed, 1);
    float once = rows.squaredRange(0);
    rows.widths(new byte[] {8, 2, 4}); // Positions keep their traces, wherever they travel.
    packed = memory.allocate(rows.bytes(9));
    rows.pack(workers, x, packed, 2);
    assertThat(rows.squaredRange(0)).isEqualTo(once + once);
    rows.clearRanges();
    assertThat(rows.squaredRange(0)).isZero();
  }

  @Test
  void refusesWhatCannotBe() {
    QuantisedRows rows = QuantisedRows.of(memory, new int[] {0, 4}, null, 2);
    assertThatThrownBy(() -> rows.widths(new byte[] {2, 3})).hasMessageContaining("2, 4 or 8");
    assertThatThrownBy(() -> rows.widths(new byte[] {2})).hasMessageContaining("one for each");
    rows.widths(new byte[] {2, 2});
    Matrix x = TestMatrix.zeros(memory, 4, 8);
    assertThatThrownBy(() -> rows.pack(workers, x, memory.allocate(100), 1))
        .hasMessageContaining("cannot move");
    Matrix enough = TestMatrix.zeros(memory, 5, 8);
    assertThatThrownBy(() -> rows.pack(workers, enough, memory.allocate(64).asSlice(0, 5), 1))
        .hasMessageContaining("cannot move");
  }
}
