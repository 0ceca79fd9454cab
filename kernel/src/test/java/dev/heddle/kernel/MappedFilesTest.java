package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedFilesTest {
  private static final int FLOATS = 100_000;

  @TempDir private Path folder = Path.of("");

  @Test
  void mappedAndOwnMemoryAreOfOneClass() throws IOException {
    try (Memory memory = new Memory();
        Memory inFiles = Memory.inFiles(folder)) {
      Class<?> own = memory.allocateFloats(FLOATS).getClass();
      assertThat(inFiles.allocateFloats(1 << 20).getClass()).isEqualTo(own);
      assertThat(map(memory).getClass()).isEqualTo(own);
    }
  }

  @Test
  void unloadedBytesAreReadAgain() throws IOException {
    try (Memory memory = new Memory()) {
      MemorySegment mapped = map(memory);
      MemorySegment own = memory.allocateFloats(FLOATS);
      own.setAtIndex(JAVA_FLOAT, FLOATS - 1, 5);
      MappedFiles.unload(mapped.asSlice(4096));
      MappedFiles.unload(own);
      assertThat(mapped.getAtIndex(JAVA_FLOAT, FLOATS - 1)).isEqualTo(FLOATS - 1);
      assertThat(own.getAtIndex(JAVA_FLOAT, FLOATS - 1)).isEqualTo(5);
      assertThat(mapped.isReadOnly()).isTrue();
    }
  }

  @Test
  void closedMemoryIsNotRead() throws IOException {
    Memory memory = new Memory();
    MemorySegment mapped = map(memory);
    memory.close();
    assertThatThrownBy(() -> mapped.getAtIndex(JAVA_FLOAT, 0))
        .isInstanceOf(IllegalStateException.class);
  }

  private MemorySegment map(Memory memory) throws IOException {
    Path file = folder.resolve("floats");
    if (!Files.exists(file)) {
      ByteBuffer values = ByteBuffer.allocate(4 * FLOATS).order(ByteOrder.nativeOrder());
      for (int i = 0; i < FLOATS; i++) {
        values.putFloat(i);
      }
      Files.write(file, values.array());
    }
    try (FileChannel channel = FileChannel.open(file)) {
      return memory.map(channel, 0, 4L * FLOATS);
    }
  }
}
