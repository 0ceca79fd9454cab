package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Cuts of graphs so large that tasks are as many as they get; nobody reads their arcs. */
class ArcTasksTest {
  private static final int ROWS = 200_000;

  private final Memory memory = new Memory();

  @AfterEach
  void free() {
    memory.close();
  }

  @Test
  void evenRows() {
    check(_ -> 60);
  }

  @Test
  void hubsAmongOthers() {
    check(row -> row % 5_000 == 7 ? 100_000 : 20);
  }

  @Test
  void rowsWithoutArcs() {
    check(row -> row % 2 == 0 ? 0 : 90);
  }

  /** Scratch for tasks is taken before there are arcs: no cut may need more. */
  private void check(IntUnaryOperator degree) {
    MemorySegment offsets = memory.allocate((ROWS + 1L) * Long.BYTES);
    long arcs = 0;
    for (int row = 0; row < ROWS; row++) {
      arcs += degree.applyAsInt(row);
      offsets.setAtIndex(JAVA_LONG, row + 1L, arcs);
    }
    Csr csr = Csr.of(ROWS, ROWS, offsets, memory.allocate(arcs * Integer.BYTES));
    ArcTasks cut = ArcTasks.of(csr);
    assertThat(cut.segments()).isLessThanOrEqualTo(ArcTasks.MAX_SEGMENTS);
    assertThat(cut.hubs()).isLessThanOrEqualTo(ArcTasks.MAX_HUBS);
    assertThat(rowsOf(cut) + cut.hubs()).isEqualTo(ROWS);
    ArcTasks whole = ArcTasks.wholeRows(csr);
    assertThat(whole.ranges()).isBetween(256, ArcTasks.MAX_SEGMENTS);
    assertThat(rowsOf(whole)).isEqualTo(ROWS);
  }

  private static int rowsOf(ArcTasks cut) {
    int rows = 0;
    for (int range = 0; range < cut.ranges(); range++) {
      rows += cut.endRow(range) - cut.firstRow(range);
    }
    return rows;
  }
}
