package dev.heddle.kernel;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * The pages of native code and class archives that only loading and starting have read: symbols,
 * relocations, initialisers, the JVM's parsers and verifiers. Of oneDNN these are some 30 MB, more
 * than the code that multiplies; of the JVM some 5 MB, because its compilers soon read the rest
 * again. An archive of classes that was moved when it was mapped has been written, and stays.
 */
public final class LibraryPages {
  private static final Path MAPPINGS = Path.of("/proc/self/smaps");

  private LibraryPages() {}

  /**
   * Takes these pages out of the process until they are read again, from the system's cache of the
   * file. Best called when everything is ready to run and large memory is yet to be touched.
   */
  public static void giveBack() {
    // Names are bytes; of those that matter all are ASCII.
    try (BufferedReader lines = Files.newBufferedReader(MAPPINGS, StandardCharsets.ISO_8859_1)) {
      String mapping = "";
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.indexOf('-') >= 8 && line.indexOf('-') < line.indexOf(' ')) {
          mapping = line;
        } else if (line.startsWith("Anonymous:") && line.endsWith(" 0 kB")) {
          // None of its pages was ever written: what is dropped is as in the file.
          giveBack(mapping);
        }
      }
    } catch (IOException _) {
      // Then they stay.
    }
  }

  /** A mapping reads {@code from-to rwxp offset device inode path}. */
  private static void giveBack(String mapping) {
    String[] fields = mapping.split(" ", 3);
    boolean unwritable = fields[1].equals("r-xp") || fields[1].equals("r--p");
    if (unwritable && isLoadedForGood(mapping)) {
      String[] range = fields[0].split("-", 2);
      long from = HexFormat.fromHexDigitsToLong(range[0]);
      PageAdvice.UNUSED.give(from, HexFormat.fromHexDigitsToLong(range[1]) - from);
    }
  }

  /** Not all libraries: another thread might just be mapping or unmapping one. */
  private static boolean isLoadedForGood(String mapping) {
    return mapping.endsWith("/libjvm.so")
        || mapping.endsWith(".jsa")
        || mapping.endsWith(".aot")
        || mapping.contains("/libdnnl.so");
  }
}
