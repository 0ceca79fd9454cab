package dev.heddle.graph.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Remembers in the store's folder that its contents were checked, so that it is done once: the file
 * {@code .checked} has a checksum over the manifest's and over size, time and identity of every
 * file. Whoever copies a store, or changes a file, has it checked anew.
 */
final class CheckedMark {
  private static final String FILE = ".checked";

  /** Raised when more is checked than before. */
  private static final String VERSION = "1";

  private CheckedMark() {}

  /** Checks the contents of a store unless this was done since its files are what they are. */
  static void ensure(Path folder, Manifest manifest) {
    String now = state(folder, manifest);
    if (now != null && now.equals(read(folder))) {
      return;
    }
    ContentCheck.run(folder, manifest);
    if (now != null) {
      write(folder, now);
    }
  }

  /** Notes that the contents were checked, by whoever did so. */
  static void note(Path folder, Manifest manifest) {
    String now = state(folder, manifest);
    if (now != null) {
      write(folder, now);
    }
  }

  /** What the files are now; null where the system does not tell. */
  private static @Nullable String state(Path folder, Manifest manifest) {
    CRC32C crc = new CRC32C();
    try {
      crc.update(ManifestJson.toBytes(manifest));
      for (String name : manifest.arrays().keySet()) {
        var file = Files.readAttributes(folder.resolve(name), BasicFileAttributes.class);
        String line = name + file.size() + " " + file.lastModifiedTime() + " " + file.fileKey();
        crc.update(line.getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException _) {
      return null;
    }
    return VERSION + " " + HexFormat.of().toHexDigits((int) crc.getValue()) + "\n";
  }

  private static @Nullable String read(Path folder) {
    try {
      Path file = folder.resolve(FILE);
      return Files.isRegularFile(file) && Files.size(file) < 100 ? Files.readString(file) : null;
    } catch (IOException _) {
      return null;
    }
  }

  /** Where the store cannot be written to it is checked each time. */
  private static void write(Path folder, String state) {
    try {
      Path aside = Files.createTempFile(folder, FILE, ".writing");
      try {
        Files.writeString(aside, state);
        Files.move(aside, folder.resolve(FILE), StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(aside);
      }
    } catch (IOException _) {
      // Opening a store needs no permission to write.
    }
  }
}
