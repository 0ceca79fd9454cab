package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** What is brought are addresses: that they lie in the rows must be seen to before. */
class RowsAheadTest {
  private static final long ROW_BYTES = 64;

  @Test
  void refusesWhatIsNotThere() {
    try (Memory memory = new Memory()) {
      MemorySegment rows = memory.allocate(5 * ROW_BYTES);
      MemorySegment ids = RowIds.of(memory, new int[] {4, 0, 5, -1}).values();
      RowsAhead.bring(rows, ROW_BYTES, ids, 0, 2);
      RowsAhead.bring(rows, ROW_BYTES, ids, 4, 0);
      assertThatThrownBy(() -> RowsAhead.bring(rows, ROW_BYTES, ids, 1, 2))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> RowsAhead.bring(rows, ROW_BYTES, ids, 3, 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> RowsAhead.bring(rows, ROW_BYTES, ids, 0, 1000))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void refusesClosedMemory() {
    try (Memory memory = new Memory()) {
      Memory closed = new Memory();
      MemorySegment rows = closed.allocate(5 * ROW_BYTES);
      closed.close();
      MemorySegment ids = RowIds.of(memory, new int[] {0}).values();
      assertThatThrownBy(() -> RowsAhead.bring(rows, ROW_BYTES, ids, 0, 1))
          .isInstanceOf(IllegalStateException.class);
    }
  }
}
