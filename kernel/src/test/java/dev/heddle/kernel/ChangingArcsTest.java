package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Kernels over arcs that are written anew do as those made for them. */
class ChangingArcsTest {
  private static final int MOST_ROWS = 900;
  private static final int MOST_ARCS = 60_000;
  private static final int COLS = 19;

  private final Memory memory = new Memory();
  private final ThreadTeam team = ThreadTeam.of(2);
  private final SplittableRandom random = TestSeed.random(this);

  @AfterEach
  void close() {
    team.close();
    memory.close();
  }

  private Matrix randomMatrix(int rows, int cols) {
    Matrix m = Matrix.allocate(memory, rows, cols);
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        m.set(r, c, (float) random.nextDouble(-1, 1));
      }
    }
    return m;
  }

  @Test
  void gathersFollowTheArcs() {
    MemorySegment offsets = memory.allocateLongs(MOST_ROWS + 1);
    MemorySegment ids = memory.allocateInts(MOST_ARCS);
    Csr changing = Csr.of(0, MOST_ROWS, offsets, ids);
    Coefficients ones = Coefficients.ones(memory, MOST_ROWS);
    Matrix partials = Matrix.allocate(memory, ArcTasks.MAX_SEGMENTS, COLS);
    SumGather gather = SumGather.over(changing, ones, null, partials);
    Matrix x = randomMatrix(MOST_ROWS, COLS);
    Matrix w = randomMatrix(COLS, COLS);
    var weight = new GatherProduct.Weight(w, Matrix.allocate(memory, COLS, COLS));
    MemorySegment scratch = memory.allocate(GatherProduct.scratchBytes(w, false));
    GatherProduct product =
        GatherProduct.over(new GatherProduct.Arcs(gather, gather), weight, null, scratch);
    for (int round = 0; round < 6; round++) {
      int rows = 1 + random.nextInt(MOST_ROWS);
      write(changing, offsets, ids, rows);
      Csr fresh = Csr.of(rows, MOST_ROWS, offsets, ids);
      SumGather expected = SumGather.over(fresh, ones, null, partials);
      assertThat(run(gather, x, rows)).isDeepEqualTo(run(expected, x, rows));
      Matrix out = Matrix.allocate(memory, rows, COLS);
      product.forward(team, x, out);
      GatherProduct once =
          GatherProduct.over(
              new GatherProduct.Arcs(expected, expected),
              weight,
              null,
              memory.allocate(GatherProduct.scratchBytes(w, false)));
      Matrix same = Matrix.allocate(memory, rows, COLS);
      once.forward(team, x, same);
      assertThat(out.toArray()).isDeepEqualTo(same.toArray());
    }
  }

  private float[][] run(SumGather gather, Matrix x, int rows) {
    Matrix out = Matrix.allocate(memory, rows, COLS);
    gather.run(team, x, out, false);
    return out.toArray();
  }

  /** A few rows are hubs. */
  private void write(Csr csr, MemorySegment offsets, MemorySegment ids, int rows) {
    long at = 0;
    offsets.setAtIndex(JAVA_LONG, 0, 0);
    for (int row = 0; row < rows; row++) {
      int degree = random.nextInt(100) == 0 ? 20_000 : random.nextInt(8);
      for (int i = 0; i < degree && at < MOST_ARCS; i++) {
        ids.setAtIndex(JAVA_INT, at++, random.nextInt(MOST_ROWS));
      }
      offsets.setAtIndex(JAVA_LONG, row + 1L, at);
    }
    csr.rewritten(rows, MOST_ROWS);
  }

  @Test
  void otherWeightsFollow() {
    MemorySegment offsets = memory.allocateLongs(4);
    Csr csr = Csr.of(0, 3, offsets, memory.allocateInts(4));
    MemorySegment weights = memory.allocateFloats(4);
    weights.setAtIndex(JAVA_FLOAT, 0, 2);
    Csr same = csr.withWeights(weights);
    offsets.setAtIndex(JAVA_LONG, 1, 1);
    csr.rewritten(1, 3);
    assertThat(same.rows()).isZero();
    same.follow(csr);
    assertThat(same.rows()).isEqualTo(1);
    assertThat(same.weight(0)).isEqualTo(2);
    assertThatThrownBy(() -> csr.rewritten(1000, 3)).hasMessageContaining("do not fit");
  }

  @Test
  void rowsAreGatheredAndZeroed() {
    Matrix x = randomMatrix(1300, COLS);
    int[] chosen = random.ints(700, 0, 1300).toArray();
    Matrix out = randomMatrix(800, COLS);
    float[][] before = out.toArray();
    new RowGather().run(team, x, RowIds.of(memory, chosen), 700, out);
    new ZeroRows().run(team, out, 650, 720);
    float[][] source = x.toArray();
    float[][] after = out.toArray();
    for (int row = 0; row < 800; row++) {
      float[] rest = row < 720 ? new float[COLS] : before[row];
      assertThat(after[row]).isEqualTo(row < 650 ? source[chosen[row]] : rest);
    }
  }
}
