package dev.heddle.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** Lines of figures with commas, to which runs add theirs, so that a table can be made in parts. */
record ResultFile(Path file) {
  /** A file with a line of names, which is written if it is not there. */
  static ResultFile of(Path folder, String name, String columns) throws IOException {
    Path file = Files.createDirectories(folder).resolve(name);
    if (!Files.exists(file)) {
      Files.writeString(file, columns + "\n");
    }
    return new ResultFile(file);
  }

  void add(List<?> figures) throws IOException {
    String line = String.join(",", figures.stream().map(String::valueOf).toList());
    Files.writeString(file, line + "\n", StandardOpenOption.APPEND);
  }
}
