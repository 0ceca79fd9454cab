package dev.heddle.tables.imports;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/**
 * The first line of a CSV file: what separates fields, how lines end, what columns are called.
 *
 * @param mark whether a byte order mark stands before it
 */
record CsvHeader(char delimiter, String newLine, List<String> names, boolean mark) {
  private static final char[] DELIMITERS = {',', ';', '\t', '|'};
  private static final char BYTE_ORDER_MARK = '\uFEFF';

  /**
   * Reads the beginning of a file.
   *
   * @param said the delimiter that the user said; 0 to take that which the header has most often
   */
  static CsvHeader of(String file, byte[] head, char said) {
    String text = new String(head, StandardCharsets.UTF_8);
    boolean mark = !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK;
    text = mark ? text.substring(1) : text;
    int end = text.indexOf('\n');
    String line = end < 0 ? text : text.substring(0, end);
    boolean carriage = line.endsWith("\r");
    line = carriage ? line.substring(0, line.length() - 1) : line;
    if (line.isBlank()) {
      throw Problems.of(file, "empty: the header is missing");
    }
    char delimiter = said == 0 ? delimiter(line) : said;
    List<String> names = fields(line, delimiter);
    requireDistinct(file, names);
    return new CsvHeader(delimiter, carriage ? "\\r\\n" : "\\n", names, mark);
  }

  private static char delimiter(String line) {
    char best = DELIMITERS[0];
    for (char candidate : DELIMITERS) {
      if (fields(line, candidate).size() > fields(line, best).size()) {
        best = candidate;
      }
    }
    return best;
  }

  /** The fields of a line; quotes are doubled inside quotes. */
  private static List<String> fields(String line, char delimiter) {
    List<String> fields = new ArrayList<>();
    StringBuilder field = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '"' && quoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
        field.append(c);
        i++;
      } else if (c == '"' && (quoted || field.isEmpty())) {
        quoted = !quoted;
      } else if (c == delimiter && !quoted) {
        fields.add(field.toString().strip());
        field.setLength(0);
      } else {
        field.append(c);
      }
    }
    fields.add(field.toString().strip());
    return fields;
  }

  /** Names that differ in case alone are told apart by nobody. */
  static void requireDistinct(String file, List<String> names) {
    TreeMap<String, Integer> seen = new TreeMap<>();
    Problems problems = new Problems();
    for (int i = 0; i < names.size(); i++) {
      Integer before = seen.putIfAbsent(names.get(i).toLowerCase(Locale.ROOT), i + 1);
      if (names.get(i).isEmpty()) {
        problems.add(file + ", line 1", "column " + (i + 1) + " has no name");
      } else if (before != null) {
        problems.add(
            file + ", line 1",
            "columns " + before + " and " + (i + 1) + " are both called '" + names.get(i) + "'");
      }
    }
    problems.check();
  }
}
