package dev.heddle.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Results as they come, a line each, so that a long run that ends early has left what it found. */
record CsvFile(Path path) {
  /** A new file with a header. */
  static CsvFile create(Path path, String... columns) throws IOException {
    Files.createDirectories(path.toAbsolutePath().getParent());
    Files.writeString(path, String.join(",", columns) + "\n");
    return new CsvFile(path);
  }

  /** Adds a line; numbers that are no integers get five digits. */
  void add(Object... values) throws IOException {
    String line =
        Arrays.stream(values)
            .map(v -> v instanceof Double d ? String.format(Locale.ROOT, "%.5g", d) : v.toString())
            .collect(Collectors.joining(","));
    Files.writeString(path, line + "\n", StandardOpenOption.APPEND);
    System.out.println("| " + line.replace(",", " | ") + " |");
  }
}
