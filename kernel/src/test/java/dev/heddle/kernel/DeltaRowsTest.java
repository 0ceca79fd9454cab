package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows that travel by how they changed. */
class DeltaRowsTest {
  private static final int ROWS = 40;

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();

  @AfterEach
  void free() {
    memory.close();
  }

  /** Every third row of the matrix, the last first. */
  private static int[] list(int count) {
    return IntStream.range(0, count).map(i -> 3 * (count - 1 - i)).toArray();
  }

  private DeltaRows end(int count, int cols, int bits) {
    int[] positions = IntStream.range(0, count).toArray();
    QuantisedRows changes = QuantisedRows.of(memory, positions, null, bits);
    Matrix room = Matrix.allocate(memory, count + 2, cols);
    room.fill(Float.NaN);
    return DeltaRows.of(memory, list(count), changes, room);
  }

  private Matrix matrix(int count, int cols) {
    Matrix m = Matrix.allocate(memory, 3 * count, cols);
    m.fill(Float.NaN);
    return m;
  }

  private void draw(Matrix m, double scale) {
    for (int r = 0; r < m.rows(); r++) {
      for (int c = 0; c < m.cols(); c++) {
        m.set(r, c, (float) (scale * random.nextGaussian()));
      }
    }
  }

  /** Both ends remember the same bits, which are what arrives, within a step of the change. */
  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 33, 64, 129})
  void endsRememberTheSame(int cols) {
    for (int bits : new int[] {2, 4, 8}) {
      DeltaRows here = end(ROWS, cols, bits);
      DeltaRows there = end(ROWS, cols, bits);
      Matrix x = matrix(ROWS, cols);
      MemorySegment packed = memory.allocate(here.changes().bytes(cols));
      draw(x, 1);
      try (ThreadTeam one = ThreadTeam.of(1);
          ThreadTeam three = ThreadTeam.of(3)) {
        for (int round = 0; round < 5; round++) {
          float[][] before = remembered(here, cols);
          here.pack(three, x, packed, round);
          Matrix got = matrix(ROWS, cols);
          if (round % 2 == 0) {
            there.unpack(one, packed, got);
          } else {
            got.fill(0);
            there.add(three, packed, got);
          }
          assertThat(remembered(there, cols)).isDeepEqualTo(remembered(here, cols));
          float[][] arrived = new float[ROWS][cols];
          for (int i = 0; i < ROWS; i++) {
            int row = list(ROWS)[i];
            double step = step(x, row, before[i], bits);
            double worst = 0;
            for (int c = 0; c < cols; c++) {
              arrived[i][c] = got.get(row, c);
              worst = Math.max(worst, Math.abs((double) got.get(row, c) - x.get(row, c)));
            }
            assertThat(worst).isLessThanOrEqualTo(step);
          }
          assertThat(arrived).isDeepEqualTo(remembered(here, cols));
          Matrix change = matrix(ROWS, cols);
          draw(change, 0.1);
          new Combine().scale(one, x.rows(), 1, change, x, true);
        }
      }
    }
  }

  private static float[][] remembered(DeltaRows end, int cols) {
    float[][] all = new float[end.count()][cols];
    for (int i = 0; i < all.length; i++) {
      for (int c = 0; c < cols; c++) {
        all[i][c] = end.remembered(i, c);
      }
    }
    return all;
  }

  /** The distance of levels, at most: parameters are rounded outwards to eight bits. */
  private static double step(Matrix x, int row, float[] last, int bits) {
    double min = Double.POSITIVE_INFINITY;
    double max = Double.NEGATIVE_INFINITY;
    for (int c = 0; c < last.length; c++) {
      min = Math.min(min, x.get(row, c) - last[c]);
      max = Math.max(max, x.get(row, c) - last[c]);
    }
    return 1.01 * (max - min + Math.abs(min) / 128) / ((1 << bits) - 1) + 1e-6;
  }

  /**
   * The mean of what arrives in the second round over many draws is what was sent. Each of 48 means
   * is within five standard errors, of the worst case of half a step: by chance that fails once in
   * thirty thousand runs, or less often.
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  void meanIsRight(int bits) {
    int cols = 16;
    int repeats = 10_000;
    Matrix first = matrix(1, cols);
    Matrix second = matrix(1, cols);
    draw(first, 1);
    draw(second, 1);
    double[] sums = new double[cols];
    double largestStep = 0;
    try (ThreadTeam one = ThreadTeam.of(1)) {
      for (int repeat = 0; repeat < repeats; repeat++) {
        try (Memory room = new Memory()) {
          QuantisedRows changes = QuantisedRows.of(room, new int[] {0}, null, bits);
          DeltaRows end =
              DeltaRows.of(room, new int[] {0}, changes, Matrix.allocate(room, 1, cols));
          MemorySegment packed = room.allocate(changes.bytes(cols));
          end.pack(one, first, packed, 2L * repeat);
          largestStep = Math.max(largestStep, step(second, 0, remembered(end, cols)[0], bits));
          end.pack(one, second, packed, 2L * repeat + 1);
          for (int c = 0; c < cols; c++) {
            sums[c] += end.remembered(0, c);
          }
        }
      }
    }
    double error = 5 * largestStep / 2 / Math.sqrt(repeats);
    for (int c = 0; c < cols; c++) {
      assertThat(sums[c] / repeats).isCloseTo(second.get(0, c), within(error));
    }
  }

  /** As rows settle so does the error; that of rows by themselves stays. */
  @Test
  void errorFallsWithTheChanges() {
    int cols = 64;
    DeltaRows end = end(ROWS, cols, 2);
    QuantisedRows alone = QuantisedRows.of(memory, list(ROWS), null, 2);
    Matrix goal = matrix(ROWS, cols);
    Matrix offset = matrix(ROWS, cols);
    Matrix x = matrix(ROWS, cols);
    Matrix got = matrix(ROWS, cols);
    draw(goal, 1);
    draw(offset, 1);
    MemorySegment packed = memory.allocate(alone.bytes(cols));
    double byChange = 0;
    double byItself = 0;
    try (ThreadTeam one = ThreadTeam.of(1)) {
      for (int round = 0; round < 30; round++) {
        var part = new Combine.Term((float) Math.pow(0.7, round), offset);
        new Combine().sum(one, x.rows(), new Combine.Term(1, goal), part, x);
        assertThat(end.changes().bytes(cols)).isEqualTo(alone.bytes(cols));
        end.pack(one, x, packed, round);
        byChange = 0;
        for (int i = 0; i < ROWS; i++) {
          for (int c = 0; c < cols; c++) {
            byChange += Math.pow((double) end.remembered(i, c) - x.get(list(ROWS)[i], c), 2);
          }
        }
        alone.pack(one, x, packed, round);
        alone.unpack(one, packed, got);
        byItself = 0;
        for (int row : list(ROWS)) {
          for (int c = 0; c < cols; c++) {
            byItself += Math.pow((double) got.get(row, c) - x.get(row, c), 2);
          }
        }
      }
    }
    assertThat(byChange).isLessThan(1e-3 * byItself);
  }
}
