package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ValueDropoutTest {
  private static final int ROWS = 300;
  private static final int COLS = 90;

  private final SplittableRandom random = TestSeed.random(this);
  private final long key = random.nextLong();
  private final Memory memory = new Memory();
  private final float[][] matrix = new float[ROWS][COLS];

  @AfterEach
  void free() {
    memory.close();
  }

  @ParameterizedTest
  @ValueSource(floats = {0, 0.3f})
  void aMatrixAndItsTransposeDropTheSame(float rate) {
    float[][] expected = new float[ROWS][COLS];
    float[][] transposed = new float[COLS][ROWS];
    float[][] expectedTransposed = new float[COLS][ROWS];
    for (int r = 0; r < ROWS; r++) {
      for (int c = 0; c < COLS; c++) {
        matrix[r][c] = random.nextInt(4) == 0 ? 1 + random.nextInt(9) : 0;
        int draw = Draws.column((int) Draws.at(key, r), c);
        boolean drops = Integer.compareUnsigned(draw, Draws.dropThreshold(rate)) < 0;
        expected[r][c] = drops ? 0 : matrix[r][c] * (1 / (1 - rate));
        transposed[c][r] = matrix[r][c];
        expectedTransposed[c][r] = expected[r][c];
      }
    }
    for (int threads = 1; threads <= 3; threads++) {
      try (ThreadTeam team = ThreadTeam.of(threads)) {
        assertThat(dropped(team, matrix, rate, false)).isDeepEqualTo(expected);
        assertThat(dropped(team, transposed, rate, true)).isDeepEqualTo(expectedTransposed);
      }
    }
  }

  private float[][] dropped(ThreadTeam team, float[][] of, float rate, boolean transposed) {
    int[][] columns = new int[of.length][];
    for (int r = 0; r < of.length; r++) {
      float[] row = of[r];
      columns[r] = IntStream.range(0, row.length).filter(c -> row[c] != 0).toArray();
    }
    Csr csr = Csr.of(memory, of[0].length, columns);
    MemorySegment values = memory.allocateFloats(csr.arcs());
    MemorySegment dropped = memory.allocateFloats(csr.arcs());
    for (int r = 0; r < of.length; r++) {
      for (long i = csr.offset(r); i < csr.offset(r + 1); i++) {
        values.setAtIndex(JAVA_FLOAT, i, of[r][csr.id(i)]);
      }
    }
    ValueDropout.of(csr.withWeights(values), dropped, transposed).run(team, rate, key);
    float[][] result = new float[of.length][of[0].length];
    for (int r = 0; r < of.length; r++) {
      for (long i = csr.offset(r); i < csr.offset(r + 1); i++) {
        result[r][csr.id(i)] = dropped.getAtIndex(JAVA_FLOAT, i);
      }
    }
    return result;
  }
}
