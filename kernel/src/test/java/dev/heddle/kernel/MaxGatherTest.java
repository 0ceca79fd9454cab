package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MaxGatherTest {
  private static final int ROWS = 120;
  private static final int SOURCES = 40;

  private final Memory memory = new Memory();
  private final RandomCase random = new RandomCase(this);

  @AfterEach
  void free() {
    memory.close();
  }

  /** Few different values, so that many are equal. */
  private Matrix coarse(int rows, int cols) {
    Matrix m = random.matrix(memory, rows, cols);
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        m.set(r, c, random.below(9) - 6);
      }
    }
    return m;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 129})
  void equalsBruteForce(int cols) {
    BothWays arcs = BothWays.of(memory, random.arcs(memory, ROWS, SOURCES, 100));
    Matrix x = coarse(SOURCES, cols);
    Matrix gradient = coarse(ROWS, cols);
    Matrix before = coarse(SOURCES, cols);
    for (MaxKernels kernels : new MaxKernels[] {new ScalarMax(), new SimdMax()}) {
      Matrix out = TestMatrix.nan(memory, ROWS, cols);
      MemorySegment winners = memory.allocate(Matrix.bytes(ROWS, cols));
      MaxGather gather = MaxGather.over(arcs.in(), arcs.out(), kernels);
      try (ThreadTeam team = ThreadTeam.of(2)) {
        gather.forward(team, x, out, winners);
        assertForward(arcs.in(), x, out, winners);
        for (boolean add : new boolean[] {false, true}) {
          Matrix sum = TestMatrix.copy(memory, before);
          gather.backward(team, gradient, sum, add);
          float[][] expected = add ? before.toArray() : new float[SOURCES][cols];
          addGradients(out, winners, gradient, expected);
          assertThat(sum.toArray()).isDeepEqualTo(expected);
        }
      }
    }
  }

  private static void assertForward(Csr in, Matrix x, Matrix out, MemorySegment winners) {
    for (int v = 0; v < in.rows(); v++) {
      for (int c = 0; c < x.cols(); c++) {
        int winner = -1;
        for (long arc = in.offset(v); arc < in.offset(v + 1); arc++) {
          int u = in.id(arc);
          winner = winner < 0 || x.get(u, c) > x.get(winner, c) ? u : winner;
        }
        assertThat(out.get(v, c)).isEqualTo(winner < 0 ? 0 : x.get(winner, c));
        assertThat(winner(winners, out, v, c)).isEqualTo(winner);
      }
    }
  }

  private static int winner(MemorySegment winners, Matrix shape, int row, int col) {
    return winners.get(JAVA_INT, shape.offset(row) + 4L * col);
  }

  /** Whole numbers, so that the order of sums does not matter. */
  private static void addGradients(
      Matrix shape, MemorySegment winners, Matrix gradient, float[][] sums) {
    for (int v = 0; v < gradient.rows(); v++) {
      for (int c = 0; c < gradient.cols(); c++) {
        int u = winner(winners, shape, v, c);
        if (u >= 0) {
          sums[u][c] += gradient.get(v, c);
        }
      }
    }
  }

  @Test
  void bitsDoNotDependOnThreads() {
    BothWays arcs = BothWays.of(memory, random.arcs(memory, 2000, 2500, 1500));
    assertThat(arcs.out().rowTasks().ranges()).isGreaterThan(1);
    Matrix x = random.matrix(memory, 2500, 33);
    Matrix gradient = random.matrix(memory, 2000, 33);
    MemorySegment winners = memory.allocate(Matrix.bytes(2000, 33));
    MaxGather gather = MaxGather.over(arcs.in(), arcs.out());
    Matrix out = Matrix.allocate(memory, 2000, 33);
    Matrix sum = Matrix.allocate(memory, 2500, 33);
    float[][] firstOut = null;
    float[][] firstSum = null;
    for (int threads : new int[] {1, 2, 3}) {
      try (ThreadTeam team = ThreadTeam.of(threads)) {
        gather.forward(team, x, out, winners);
        gather.backward(team, gradient, sum, false);
      }
      firstOut = firstOut == null ? out.toArray() : firstOut;
      firstSum = firstSum == null ? sum.toArray() : firstSum;
      assertThat(out.toArray()).isDeepEqualTo(firstOut);
      assertThat(sum.toArray()).isDeepEqualTo(firstSum);
    }
  }
}
