package dev.heddle.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Memory that the system may page out to a file, so that a workspace can outgrow physical memory.
 *
 * <p>The file has no name once it is mapped: it goes away with the mapping, also when the process
 * is killed.
 */
final class ScratchFile {
  private ScratchFile() {}

  /** Zeroed bytes in a file of its own in {@code folder}. */
  static MemorySegment map(Arena arena, Path folder, long size) {
    try {
      // A mapped page that finds the disk full kills the loop that touches it: asked for before.
      long free = Files.getFileStore(folder).getUsableSpace();
      if (free < size) {
        throw new IOException(free + " bytes are free");
      }
      Path file = Files.createTempFile(folder, "heddle", ".scratch");
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        return MappedFiles.plain(
            arena, channel.map(FileChannel.MapMode.READ_WRITE, 0, size, arena));
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot make " + size + " bytes of scratch space in " + folder + ": " + e.getMessage(),
          e);
    }
  }
}
