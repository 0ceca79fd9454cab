package dev.heddle.train.layers;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.kernel.Memory;
import dev.heddle.train.run.Checkpoints;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Tells all workers where and when the first one writes checkpoints, since each has rows of its own
 * to put beside them.
 */
public final class AgreedCheckpoints {
  private AgreedCheckpoints() {}

  /** The first worker's; none if it writes none. All workers call it. */
  public static @Nullable Checkpoints of(Group group, @Nullable Checkpoints own, Memory memory) {
    byte[] path =
        own == null || group.rank() > 0
            ? new byte[0]
            : own.folder().toAbsolutePath().toString().getBytes(UTF_8);
    long[] told = {path.length, 0, 0};
    if (own != null && group.rank() == 0) {
      told[1] = own.every();
      told[2] = own.keep();
    }
    group.sum(told);
    if (told[0] == 0) {
      return null;
    }
    try (Memory scratch = memory.child()) {
      MemorySegment bytes = scratch.allocate(told[0]).asSlice(0, told[0]);
      if (group.rank() == 0) {
        MemorySegment.copy(path, 0, bytes, JAVA_BYTE, 0, path.length);
      }
      group.broadcast(0, Kind.CONTROL, bytes);
      if (group.rank() == 0) {
        return own;
      }
      Path folder = Path.of(new String(bytes.toArray(JAVA_BYTE), UTF_8));
      return new Checkpoints(folder, (int) told[1], (int) told[2], _ -> {});
    }
  }
}
