package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PagedRowsTest {
  private static final int ROWS = 3000;
  private static final int COLS = 16;

  @TempDir private Path folder;

  /**
   * Advice changes when bytes are read, and nothing else; rows may come in any order, and a list is
   * worked on whole, a stretch at a time.
   */
  @Test
  void rowsAreWhatTheFileHas() throws IOException {
    Path file = folder.resolve("rows");
    ByteBuffer bytes =
        ByteBuffer.allocate(ROWS * COLS * Float.BYTES).order(ByteOrder.nativeOrder());
    for (int i = 0; i < ROWS * COLS; i++) {
      bytes.putFloat(i);
    }
    try (FileChannel channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        Memory memory = new Memory()) {
      int written = channel.write(bytes.flip());
      assertThat(written).isEqualTo(ROWS * COLS * Float.BYTES);
      Matrix matrix = Matrix.over(memory.map(channel, 0, written), ROWS, COLS);
      PagedRows paged = PagedRows.of(matrix);
      int[] many = IntStream.range(0, 20_000).map(i -> i * 7 % ROWS).toArray();
      int[][] lists = {{}, {0}, {5, 6, 7, 2999}, {2999, 0, 1500}, {4, 4, 2000, 4}, many};
      for (int[] list : lists) {
        RowIds ids = RowIds.of(memory, list);
        int stretches = 0;
        for (int from = 0, to; from < list.length; from = to) {
          to = paged.stretch(ids, from, list.length);
          assertThat(to).isGreaterThan(from).isLessThanOrEqualTo(list.length);
          for (int i = from; i < to; i++) {
            assertThat(matrix.get(list[i], 3)).isEqualTo(list[i] * COLS + 3f);
          }
          stretches++;
        }
        assertThat(stretches).isEqualTo((list.length + 2047) / 2048);
      }
    }
  }
}
