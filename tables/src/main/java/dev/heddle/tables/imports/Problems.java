package dev.heddle.tables.imports;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** What is wrong with tables, gathered so that it is told at once. */
final class Problems {
  /** Rows that are told of the same fault. */
  static final int FIRST = 10;

  /** What tables may hold and would break a line or a terminal. */
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}]");

  private final List<String> lines = new ArrayList<>();

  void add(String place, String fault) {
    lines.add(UNPRINTABLE.matcher(place + ": " + fault).replaceAll("?"));
  }

  boolean none() {
    return lines.isEmpty();
  }

  /** Ends the import if anything is wrong. */
  void check() {
    if (!lines.isEmpty()) {
      throw new ImportException(lines);
    }
  }

  static ImportException of(String place, String fault) {
    Problems problems = new Problems();
    problems.add(place, fault);
    return new ImportException(problems.lines);
  }
}
