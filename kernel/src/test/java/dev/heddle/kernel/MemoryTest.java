package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
  void childrenCountInTheirParents() {
    try (Memory root = Memory.limitedTo(10_000)) {
      Memory child = root.childLimitedTo(5_000);
      MemorySegment _ = child.child().allocate(4_096);
      assertThat(root.bytes()).isEqualTo(4_096);
      assertThat(root.available()).isEqualTo(10_000 - 4_096);
      assertThat(child.available()).isEqualTo(5_000 - 4_096);
      assertThat(root.allocations()).isOne();
      assertThatThrownBy(() -> child.allocate(1_024)).isInstanceOf(MemoryLimitException.class);
      Memory other = root.child();
      MemorySegment _ = other.allocate(5_120);
      assertThatThrownBy(() -> other.allocate(1_024)).isInstanceOf(MemoryLimitException.class);
      assertThat(other.bytes()).isEqualTo(5_120);
      child.close();
      assertThat(root.bytes()).isEqualTo(5_120);
      assertThat(root.peakBytes()).isEqualTo(4_096 + 5_120);
      MemorySegment _ = other.allocate(1_024);
    }
  }

  @Test
  void closingAMemoryClosesItsChildren() {
    Memory root = new Memory();
    Memory child = root.child();
    MemorySegment inside = child.child().allocate(100);
    root.close();
    assertThatThrownBy(() -> inside.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    child.close();
    assertThat(root.bytes()).isZero();
  }

  @Test
  void memoryInFilesIsZeroedAndLeavesNothing(@TempDir Path folder) throws IOException {
    try (Memory memory = Memory.inFiles(folder)) {
      MemorySegment segment = memory.allocate(3_000_001);
      assertThat(segment.address() % 64).isZero();
      assertThat(segment.byteSize()).isGreaterThan(3_000_001);
      assertThat(segment.get(JAVA_BYTE, 3_000_000)).isZero();
      segment.fill((byte) 7);
      assertThat(segment.get(JAVA_BYTE, 3_000_000)).isEqualTo((byte) 7);
      assertThat(memory.allocate(100).get(JAVA_BYTE, 99)).isZero();
      try (Stream<Path> files = Files.list(folder)) {
        assertThat(files).isEmpty();
      }
      assertThatThrownBy(() -> memory.allocate(1L << 60))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageStartingWith("cannot make " + (1L << 60) + " bytes of scratch space in ");
    }
    try (Memory memory = Memory.inFiles(folder.resolve("nowhere"))) {
      assertThatThrownBy(() -> memory.allocate(2_000_000)).hasMessageContaining("nowhere");
    }
  }

  @Test
  void mappedFilesAreReadOnlyAndCountedApart(@TempDir Path folder) throws IOException {
    Path file = Files.write(folder.resolve("data"), new byte[] {1, 2, 3, 4});
    Memory memory = new Memory();
    MemorySegment mapped;
    try (FileChannel channel = FileChannel.open(file)) {
      mapped = memory.map(channel, 1, 3);
    }
    assertThat(mapped.get(JAVA_BYTE, 2)).isEqualTo((byte) 4);
    assertThat(mapped.isReadOnly()).isTrue();
    assertThat(memory.bytes()).isZero();
    assertThat(memory.mappedBytes()).isEqualTo(3);
    memory.close();
    assertThatThrownBy(() -> mapped.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
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
