package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Going through sources in their order gives what gathering them gives, bit by bit. */
class SourceOrderTest {
  private static final int ROWS = 1500;
  private static final int SOURCES = 6000;

  /** More arcs than four tasks' worth, so that the hub is cut into segments. */
  private static final int HUB = 40_000;

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

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 9, 17, 33, 64, 100, 128, 129, 256})
  void equalsAGatherBitByBit(int cols) {
    Csr arcs = random.arcs(memory, ROWS, SOURCES, cols % 2 == 0 ? HUB : 60);
    assertThat(arcs.tasks().hubs()).isEqualTo(cols % 2 == 0 ? 1 : 0);
    Matrix x = random.matrix(memory, SOURCES, cols);
    Matrix partials = Matrix.allocate(memory, ArcTasks.MAX_SEGMENTS, cols);
    // From blocks of some sources and buckets of some rows to all at once.
    for (long working : new long[] {20_000, 70_000, 1 << 20, 64 << 20}) {
      SourceOrder order = SourceOrder.always(memory, working);
      for (Coefficients c :
          List.of(
              Coefficients.perSource(floats(SOURCES)), Coefficients.perArc(floats(arcs.arcs())))) {
        for (MemorySegment scale : new MemorySegment[] {null, floats(ROWS)}) {
          for (boolean add : new boolean[] {false, true}) {
            Matrix expected = random.matrix(memory, ROWS, cols);
            Matrix actual = TestMatrix.copy(memory, expected);
            SumGather gather = SumGather.over(arcs, c, scale, partials);
            try (ThreadTeam team = ThreadTeam.of(3)) {
              gather.run(team, x, expected, add);
              gather.through(order).run(team, x, actual, add);
            }
            assertSame(actual, expected);
          }
        }
      }
    }
  }

  @Test
  void sourcesThatFitAreGathered() {
    SourceOrder order = SourceOrder.within(memory, SourceOrder.LEAST_BYTES);
    assertThat(order.pays(SourceOrder.LEAST_BYTES)).isFalse();
    assertThat(order.pays(SourceOrder.LEAST_BYTES + 1)).isTrue();
  }

  @Test
  void aConvolutionThatGoesThroughSourcesEqualsOneThatGathersThem() {
    for (int[] shape : new int[][] {{7, 8}, {16, 16}, {40, 64}, {128, 130}}) {
      Csr arcs = random.arcs(memory, ROWS, ROWS, HUB);
      Matrix partials = Matrix.allocate(memory, ArcTasks.MAX_SEGMENTS, shape[1]);
      Matrix wide = Matrix.allocate(memory, ArcTasks.MAX_SEGMENTS, shape[0]);
      Coefficients ones = Coefficients.ones(memory, ROWS);
      SumGather gather = SumGather.over(arcs, ones, floats(ROWS), wide);
      SumGather through = gather.through(SourceOrder.always(memory, 50_000));
      SumGather back = SumGather.over(arcs, ones, null, partials);
      Matrix w = random.matrix(memory, shape[0], shape[1]);
      Matrix self = random.matrix(memory, shape[0], shape[1]);
      Matrix x = random.matrix(memory, ROWS, shape[0]);
      Matrix expected = TestMatrix.nan(memory, ROWS, shape[1]);
      Matrix actual = TestMatrix.nan(memory, ROWS, shape[1]);
      Matrix whole = TestMatrix.nan(memory, ROWS, shape[0]);
      try (ThreadTeam team = ThreadTeam.of(2)) {
        product(gather, back, w, self).forward(team, x, expected);
        product(through, back, w, self).forwardThrough(team, x, whole, actual);
      }
      assertSame(actual, expected);
    }
  }

  private static void assertSame(Matrix actual, Matrix expected) {
    assertThat(Arrays.deepEquals(actual.toArray(), expected.toArray())).isTrue();
  }

  private GatherProduct product(SumGather there, SumGather back, Matrix w, Matrix self) {
    return GatherProduct.over(
        new GatherProduct.Arcs(there, back),
        new GatherProduct.Weight(w, Matrix.allocate(memory, w.rows(), w.cols())),
        new GatherProduct.Weight(self, Matrix.allocate(memory, w.rows(), w.cols())),
        memory.allocate(GatherProduct.scratchBytes(w, true)));
  }
}
