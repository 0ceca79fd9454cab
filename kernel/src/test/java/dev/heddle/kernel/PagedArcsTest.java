package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PagedArcsTest {
  private static final int ROWS = 2000;
  private static final int DEGREE = 7;

  @TempDir private Path folder;

  /** Advice changes when bytes are read, and nothing else; rows may come in any order. */
  @Test
  void arcsAreWhatTheFileHas() throws IOException {
    int offsetBytes = (ROWS + 1) * Long.BYTES;
    int arcs = ROWS * DEGREE;
    ByteBuffer bytes =
        ByteBuffer.allocate(offsetBytes + 2 * arcs * Integer.BYTES).order(ByteOrder.nativeOrder());
    for (int row = 0; row <= ROWS; row++) {
      bytes.putLong((long) row * DEGREE);
    }
    for (int arc = 0; arc < arcs; arc++) {
      bytes.putInt(arc / DEGREE);
    }
    for (int arc = 0; arc < arcs; arc++) {
      bytes.putFloat(arc);
    }
    try (FileChannel channel =
            FileChannel.open(
                folder.resolve("arcs"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        Memory memory = new Memory()) {
      assertThat(channel.write(bytes.flip())).isEqualTo(bytes.capacity());
      var all = memory.map(channel, 0, bytes.capacity());
      Csr unweighted =
          Csr.of(ROWS, ROWS, all.asSlice(0, offsetBytes), all.asSlice(offsetBytes, 4L * arcs));
      Csr weighted = unweighted.withWeights(all.asSlice(offsetBytes + 4L * arcs, 4L * arcs));
      for (Csr csr : new Csr[] {unweighted, weighted}) {
        PagedArcs paged = PagedArcs.of(csr);
        for (int row : new int[] {0, 1, ROWS - 1, 700, 700}) {
          paged.expectPlace(row);
          paged.expect(row);
          assertThat(csr.degree(row)).isEqualTo(DEGREE);
          assertThat(csr.id(csr.offset(row) + DEGREE - 1)).isEqualTo(row);
        }
      }
    }
  }
}
