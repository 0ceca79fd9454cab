package dev.heddle.graph.store;

import dev.heddle.graph.GraphFormatException;
import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads all of a store: first every checksum, then what the arrays hold. */
final class StoreCheck {
  private StoreCheck() {}

  static void run(Path folder, Manifest manifest) {
    files(folder, manifest);
    try (Memory memory = new Memory()) {
      StoreArrays arrays = new StoreArrays(folder, manifest.arrays(), memory);
      for (ArrayEntry entry : manifest.arrays().values()) {
        entry.verify(folder, arrays.vector(entry.name()));
      }
    }
    ContentCheck.run(folder, manifest);
  }

  private static void files(Path folder, Manifest manifest) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        String name = String.valueOf(file.getFileName());
        // A writer of a partition that died may have left its file.
        boolean left = name.startsWith(Names.PARTITION) || name.startsWith(".");
        if (!name.equals(Manifest.FILE) && !manifest.has(name) && !left) {
          throw new GraphFormatException(file, "not listed in the manifest");
        }
      }
    } catch (IOException e) {
      throw new GraphFormatException(folder, "cannot be read: " + Failures.reason(e), e);
    }
  }
}
