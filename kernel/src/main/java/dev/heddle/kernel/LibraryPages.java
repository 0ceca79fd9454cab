package dev.heddle.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.stream.Stream;

/**
 * The pages of a native library that only its loading has read: symbols, relocations and the code
 * of initialisers. Of oneDNN these are some 30 MB, more than the code that multiplies.
 */
final class LibraryPages {
  private static final Path MAPS = Path.of("/proc/self/maps");

  private LibraryPages() {}

  /** Takes a library's pages out of memory until they are read again. */
  static void giveBack(Path library) {
    try (Stream<String> maps = Files.lines(MAPS)) {
      String name = " " + library.toRealPath();
      maps.filter(line -> line.endsWith(name)).forEach(LibraryPages::giveBack);
    } catch (IOException | UncheckedIOException _) {
      // Then they stay.
    }
  }

  /** A line reads {@code from-to rwxp offset device inode path}. */
  private static void giveBack(String line) {
    String[] fields = line.split(" ", 4);
    // Pages that look read-only further on were written when the library was loaded.
    boolean asInFile =
        fields[1].equals("r-xp")
            || (fields[1].equals("r--p") && HexFormat.fromHexDigitsToLong(fields[2]) == 0);
    if (asInFile) {
      String[] range = fields[0].split("-", 2);
      long from = HexFormat.fromHexDigitsToLong(range[0]);
      PageAdvice.UNUSED.give(from, HexFormat.fromHexDigitsToLong(range[1]) - from);
    }
  }
}
