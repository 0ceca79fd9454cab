package dev.heddle.tables.imports;

import java.util.List;

/** Tables cannot be imported; all that is wrong with them, a line each. */
public final class ImportException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient List<String> lines;

  ImportException(List<String> lines) {
    super(lines.getFirst());
    this.lines = List.copyOf(lines);
  }

  /** What is wrong: file, row and column, and the option that answers it. */
  public List<String> lines() {
    return lines;
  }
}
