package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SumGatherTest {
  private static final int ROWS = 200;
  private static final int SOURCES = 150;

  /** More arcs than four tasks' worth, so that the hub is cut into segments. */
  private static final int HUB = 20_000;

  private final Memory memory = new Memory();
  private final RandomCase random = new RandomCase(this);

  @AfterEach
  void free() {
    memory.close();
  }

  private MemorySegment floats(long count) {
    MemorySegment values = memory.allocateFloats(count);
    for (long i = 0; i < count; i++) {
      values.setAtIndex(JAVA_FLOAT, i, random.gaussian());
    }
    return values;
  }

  private SumGather gather(Csr arcs, Coefficients coefficients, int cols) {
    Matrix partials = Matrix.allocate(memory, ArcTasks.MAX_SEGMENTS, cols);
    return SumGather.over(arcs, coefficients, floats(ROWS), partials);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 40, 64, 65, 100, 127, 128, 129, 250, 256, 384})
  void equalsTheDoubleReference(int cols) {
    Csr arcs = random.arcs(memory, ROWS, SOURCES, cols == 1 || cols == 33 ? HUB : 60);
    for (Coefficients c :
        new Coefficients[] {
          Coefficients.perSource(floats(SOURCES)),
          Coefficients.perArc(floats(arcs.arcs())),
          Coefficients.ones(memory, SOURCES)
        }) {
      Matrix x = random.matrix(memory, SOURCES, cols);
      Matrix before = random.matrix(memory, ROWS, cols);
      SumGather gather = gather(arcs, c, cols);
      Matrix out = Matrix.of(memory, before.toArray());
      Matrix sum = Matrix.of(memory, before.toArray());
      try (ThreadTeam workers = ThreadTeam.of(2)) {
        gather.run(workers, x, out, false);
        gather.run(workers, x, sum, true);
      }
      assertEqualsReference(gather, x, before, out, sum);
    }
  }

  private static void assertEqualsReference(
      SumGather g, Matrix x, Matrix before, Matrix out, Matrix added) {
    Csr arcs = g.arcs();
    for (int row = 0; row < arcs.rows(); row++) {
      double[] sum = new double[x.cols()];
      double[] size = new double[x.cols()];
      for (long arc = arcs.offset(row); arc < arcs.offset(row + 1); arc++) {
        double coefficient = g.coefficients().at(arc, arcs.id(arc));
        for (int col = 0; col < x.cols(); col++) {
          double term = coefficient * x.get(arcs.id(arc), col);
          sum[col] += term;
          size[col] += Math.abs(term);
        }
      }
      for (int col = 0; col < x.cols(); col++) {
        double expected = sum[col] * g.rowScale(row);
        double tolerance = 1e-5 * (2 + size[col] * Math.abs(g.rowScale(row)));
        assertClose(row, col, out.get(row, col), expected, tolerance);
        assertClose(row, col, added.get(row, col), expected + before.get(row, col), tolerance);
      }
    }
  }

  private static void assertClose(int row, int col, float actual, double expected, double by) {
    if (!(Math.abs(actual - expected) <= by)) {
      fail("row %d, column %d: %s, not %s", row, col, actual, expected);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 17, 33, 65, 128, 131, 256, 384})
  void scalarAndSimdAgree(int cols) {
    Csr arcs = random.arcs(memory, ROWS, SOURCES, 40);
    Matrix x = random.matrix(memory, SOURCES, cols);
    HalfMatrix half = halves(x);
    Matrix scalar = Matrix.allocate(memory, ROWS, cols);
    Matrix simd = Matrix.allocate(memory, ROWS, cols);
    for (Coefficients c :
        new Coefficients[] {
          Coefficients.perSource(floats(SOURCES)), Coefficients.perArc(floats(arcs.arcs()))
        }) {
      SumGather gather = gather(arcs, c, cols);
      try (ThreadTeam one = ThreadTeam.of(1)) {
        gather.run(one, x, scalar, false);
        new ScalarGather().sum(gather, 0, ROWS, gather.out(), 0);
        gather.run(one, x, simd, false);
        new SimdGather().sum(gather, 0, ROWS, gather.out(), 0);
        assertClose(scalar, simd);
        gather.run(one, half, scalar, false);
        new ScalarGather().sum(gather, 0, ROWS, gather.out(), 0);
        gather.run(one, half, simd, false);
        new SimdGather().sum(gather, 0, ROWS, gather.out(), 0);
        assertClose(scalar, simd);
        gather.run(one, half, scalar, true);
        new ScalarGather().sum(gather, 0, ROWS, gather.out(), 0);
        gather.run(one, half, simd, true);
        new SimdGather().sum(gather, 0, ROWS, gather.out(), 0);
        assertClose(scalar, simd);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {128, 256})
  void wideVectorsGiveTheBitsOfNarrowOnes(int cols) {
    assumeThat(SimdWideSum.fits(cols)).as("registers of 512 bits").isTrue();
    Csr arcs = random.arcs(memory, ROWS, SOURCES, 40);
    Matrix x = random.matrix(memory, SOURCES, cols);
    Matrix wide = Matrix.allocate(memory, ROWS, cols);
    Matrix narrow = Matrix.allocate(memory, ROWS, cols);
    SumGather bySource = gather(arcs, Coefficients.perSource(floats(SOURCES)), cols);
    SumGather byArc = gather(arcs, Coefficients.perArc(floats(arcs.arcs())), cols);
    long end = arcs.offset(ROWS);
    try (ThreadTeam one = ThreadTeam.of(1)) {
      bySource.run(one, x, wide, false);
      SimdSumBySource.rows(bySource, 0, ROWS, 0, end, narrow.address(0), true);
      assertThat(narrow.toArray()).isDeepEqualTo(wide.toArray());
      byArc.run(one, x, wide, false);
      SimdSumByArc.rows(byArc, 0, ROWS, 0, end, narrow.address(0), true);
      assertThat(narrow.toArray()).isDeepEqualTo(wide.toArray());
    }
  }

  private HalfMatrix halves(Matrix x) {
    HalfMatrix half = HalfMatrix.allocate(memory, x.rows(), x.cols());
    for (int r = 0; r < x.rows(); r++) {
      for (int c = 0; c < x.cols(); c++) {
        half.set(r, c, x.get(r, c));
      }
    }
    return half;
  }

  private static void assertClose(Matrix a, Matrix b) {
    for (int r = 0; r < a.rows(); r++) {
      for (int c = 0; c < a.cols(); c++) {
        assertClose(r, c, b.get(r, c), a.get(r, c), 1e-4);
      }
    }
  }

  @Test
  void bitsDoNotDependOnThreads() {
    Csr arcs = random.arcs(memory, ROWS, SOURCES, HUB);
    Matrix x = random.matrix(memory, SOURCES, 9);
    SumGather gather = gather(arcs, Coefficients.perSource(floats(SOURCES)), 9);
    SameBits.forAnyThreads(team -> {
      Matrix out = Matrix.allocate(memory, ROWS, 9);
      gather.run(team, x, out, false);
      return new Matrix[] {out};
    });
    assertThat(arcs.tasks().hubs()).as("the hub was cut").isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MIN_VALUE, SOURCES, Integer.MAX_VALUE})
  void refusesSourcesThatAreNotThere(int source) {
    Csr arcs = Csr.of(memory, SOURCES, new int[][] {{0, 1, source}, {2}});
    for (int cols : new int[] {40, 128}) {
      Matrix out = Matrix.allocate(memory, 2, cols);
      for (Coefficients c :
          new Coefficients[] {
            Coefficients.perSource(floats(SOURCES)), Coefficients.perArc(floats(4))
          }) {
        Matrix x = random.matrix(memory, SOURCES, cols);
        HalfMatrix half = halves(x);
        SumGather gather = gather(arcs, c, cols);
        try (ThreadTeam workers = ThreadTeam.of(1)) {
          assertThatThrownBy(() -> gather.run(workers, x, out, false))
              .isInstanceOf(IndexOutOfBoundsException.class);
          assertThatThrownBy(() -> gather.run(workers, half, out, false))
              .isInstanceOf(IndexOutOfBoundsException.class);
        }
      }
    }
  }

  /** Offsets of a damaged file may lead anywhere, but not outside the arcs. */
  @ParameterizedTest
  @ValueSource(ints = {40, 128})
  void offsetsThatFallBackReadNothingElse(int cols) {
    assumeThat(Kernels.gather()).isInstanceOf(SimdGather.class);
    Csr arcs = Csr.of(memory, SOURCES, new int[][] {{0, 1}, {2}, {3, 4}});
    arcs.offsets().setAtIndex(JAVA_LONG, 1, -3);
    arcs.offsets().setAtIndex(JAVA_LONG, 2, 1000);
    SumGather gather = gather(arcs, Coefficients.perSource(floats(SOURCES)), cols);
    Matrix x = random.matrix(memory, SOURCES, cols);
    Matrix out = Matrix.allocate(memory, 3, cols);
    try (ThreadTeam workers = ThreadTeam.of(1)) {
      gather.run(workers, x, out, false);
    }
    for (int row : new int[] {0, 2}) {
      for (float sum : out.toArray()[row]) {
        // Times a negative factor it is another zero.
        assertThat(sum == 0).isTrue();
      }
    }
  }

  @Test
  void refusesMemoryThatIsClosed() {
    Csr arcs = Csr.of(memory, SOURCES, new int[][] {{0, 1}});
    SumGather gather = gather(arcs, Coefficients.perSource(floats(SOURCES)), 40);
    Matrix out = Matrix.allocate(memory, SOURCES, 40);
    try (ThreadTeam workers = ThreadTeam.of(1)) {
      Memory closed = new Memory();
      Matrix x = random.matrix(closed, SOURCES, 40);
      closed.close();
      assertThatThrownBy(() -> gather.run(workers, x, out, false))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> gather.run(workers, out, x, false))
          .isInstanceOf(IllegalStateException.class);
    }
  }
}
