package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
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
  private final RandomCase random = new RandomCase();

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
  @ValueSource(ints = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 40, 64, 65, 100, 127, 128, 129, 250})
  void equalsTheDoubleReference(int cols) {
    Csr arcs = random.arcs(memory, ROWS, SOURCES, cols % 32 == 1 ? HUB : 60);
    for (Coefficients c :
        new Coefficients[] {
          Coefficients.perSource(floats(SOURCES)),
          Coefficients.perArc(floats(arcs.arcs())),
          Coefficients.ones(memory, SOURCES)
        }) {
      Matrix x = random.matrix(memory, SOURCES, cols);
      Matrix before = random.matrix(memory, ROWS, cols);
      SumGather gather = gather(arcs, c, cols);
      for (boolean add : new boolean[] {false, true}) {
        Matrix out = Matrix.of(memory, before.toArray());
        try (Workers workers = Workers.of(2)) {
          gather.run(workers, x, out, add);
        }
        assertEqualsReference(gather, x, add ? before : null, out);
      }
    }
  }

  private void assertEqualsReference(SumGather g, Matrix x, @Nullable Matrix before, Matrix out) {
    Csr arcs = g.arcs();
    for (int row = 0; row < arcs.rows(); row++) {
      for (int col = 0; col < x.cols(); col++) {
        double sum = 0;
        double size = 1;
        for (long arc = arcs.offset(row); arc < arcs.offset(row + 1); arc++) {
          double term = (double) g.coefficients().at(arc, arcs.id(arc)) * x.get(arcs.id(arc), col);
          sum += term;
          size += Math.abs(term);
        }
        double expected = sum * g.rowScale(row) + (before == null ? 0 : before.get(row, col));
        double tolerance = 1e-5 * (1 + size * Math.abs(g.rowScale(row)));
        if (!(Math.abs(out.get(row, col) - expected) <= tolerance)) {
          fail("row %d, column %d: %s, not %s", row, col, out.get(row, col), expected);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 17, 33, 65, 128, 131})
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
      try (Workers one = Workers.of(1)) {
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
      }
    }
  }

  private HalfMatrix halves(Matrix x) {
    HalfMatrix half = HalfMatrix.allocate(memory, x.rows(), x.cols());
    for (int r = 0; r < x.rows(); r++) {
      for (int c = 0; c < x.cols(); c++) {
        half.data()
            .setAtIndex(JAVA_SHORT, (long) r * half.stride() + c, HalfMatrix.narrow(x.get(r, c)));
        assertThat(half.get(r, c)).isCloseTo(x.get(r, c), within(Math.abs(x.get(r, c)) / 256));
      }
    }
    return half;
  }

  private static void assertClose(Matrix a, Matrix b) {
    for (int r = 0; r < a.rows(); r++) {
      for (int c = 0; c < a.cols(); c++) {
        if (!(Math.abs(b.get(r, c) - a.get(r, c)) <= 1e-4f)) {
          fail("row %d, column %d: %s, not %s", r, c, b.get(r, c), a.get(r, c));
        }
      }
    }
  }

  @Test
  void bitsDoNotDependOnThreads() {
    Csr arcs = random.arcs(memory, ROWS, SOURCES, HUB);
    Matrix x = random.matrix(memory, SOURCES, 33);
    SumGather gather = gather(arcs, Coefficients.perSource(floats(SOURCES)), 33);
    float[][] expected = null;
    for (int threads : new int[] {1, 2, 3, 5}) {
      Matrix out = Matrix.allocate(memory, ROWS, 33);
      try (Workers workers = Workers.of(threads)) {
        gather.run(workers, x, out, false);
      }
      expected = expected == null ? out.toArray() : expected;
      assertThat(Arrays.deepEquals(expected, out.toArray())).isTrue();
    }
    assertThat(arcs.tasks().hubs()).as("the hub was cut").isEqualTo(1);
  }

  @Test
  void simdIsInUseUnlessSwitchedOff() {
    boolean wanted = !System.getProperty("heddle.simd", "auto").equals("off");
    assertThat(Kernels.simd()).isEqualTo(wanted);
  }
}
