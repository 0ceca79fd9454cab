package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class MemoryTest {
  @Test
  void segmentsAreZeroedAlignedAndCounted() {
    try (Memory memory = new Memory()) {
      long total = 0;
      for (long size : new long[] {0, 1, 63, 64, 65, 5_000_000}) {
        MemorySegment segment = memory.allocate(size);
        assertThat(segment.address() % 64).isZero();
        assertThat(segment.byteSize()).isGreaterThanOrEqualTo(size);
        for (long i = 0; i < segment.byteSize(); i += 997) {
          assertThat(segment.get(JAVA_BYTE, i)).isZero();
        }
        total += segment.byteSize();
      }
      assertThat(memory.bytes()).isEqualTo(total);
    }
  }

  @Test
  void closedMemoryThrows() {
    Memory memory = new Memory();
    MemorySegment small = memory.allocate(100);
    MemorySegment large = memory.allocate(10_000_000);
    memory.close();
    assertThatThrownBy(() -> small.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> large.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void matricesRefuseImpossibleShapes() {
    try (Memory memory = new Memory()) {
      assertThatThrownBy(() -> Matrix.allocate(memory, 3, 0))
          .hasMessage("a matrix cannot be 3 x 0");
      MemorySegment few = memory.allocate(64);
      assertThatThrownBy(() -> Matrix.over(few, 3, 9)).hasMessageContaining("too few");
    }
  }

  @Test
  void slicesShareRows() {
    try (Memory memory = new Memory()) {
      Matrix m = Matrix.of(memory, new float[][] {{1, 2}, {3, 4}, {5, 6}});
      m.slice(1, 3).set(0, 1, 9);
      assertThat(m.get(1, 1)).isEqualTo(9);
      assertThat(m.slice(1, 3).toArray()).isDeepEqualTo(new float[][] {{3, 9}, {5, 6}});
    }
  }
}
