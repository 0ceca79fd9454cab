package dev.heddle.cli.ui;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The epochs of a run, from its {@code metrics.jsonl}: a line of JSON each, to which a run that
 * goes on adds. What is behind the last end of a line is still being written.
 */
final class Metrics {
  private static final JsonMapper JSON = new JsonMapper();

  /** Longer than a line of an epoch. */
  private static final int TAIL = 4096;

  /** More is read the next time. */
  private static final int MOST = 16 << 20;

  private Metrics() {}

  /**
   * Lines from a place in the file on.
   *
   * @param next where to read on
   * @param rows an epoch each; lines that cannot be read are left out
   */
  record Part(long next, List<JsonNode> rows) {
    /** By name, a number for each row; null where a row has none. */
    Map<String, List<@Nullable Double>> columns() {
      Map<String, List<@Nullable Double>> columns = new LinkedHashMap<>();
      for (int r = 0; r < rows.size(); r++) {
        for (Map.Entry<String, JsonNode> cell : rows.get(r).properties()) {
          if (cell.getValue().isNumber()) {
            List<@Nullable Double> column =
                columns.computeIfAbsent(cell.getKey(), _ -> new ArrayList<>());
            while (column.size() < r) {
              column.add(null);
            }
            column.add(cell.getValue().asDouble());
          }
        }
      }
      columns
          .values()
          .forEach(column -> {
            while (column.size() < rows.size()) {
              column.add(null);
            }
          });
      return columns;
    }
  }

  /** What stands from a byte on, up to the last whole line. */
  static Part from(Path file, long begin) throws IOException {
    if (!Files.isRegularFile(file)) {
      return new Part(0, List.of());
    }
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      // A run that was begun again has a shorter file: read from its start.
      long at = begin > in.length() ? 0 : begin;
      byte[] bytes = new byte[(int) Math.min(MOST, in.length() - at)];
      in.seek(at);
      in.readFully(bytes);
      int end = bytes.length;
      while (end > 0 && bytes[end - 1] != '\n') {
        end--;
      }
      return new Part(at + end, rows(new String(bytes, 0, end, StandardCharsets.UTF_8)));
    }
  }

  /** The last whole line; null where there is none. */
  static @Nullable JsonNode last(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      return null;
    }
    Part end = from(file, Math.max(0, Files.size(file) - TAIL));
    return end.rows.isEmpty() ? null : end.rows.getLast();
  }

  private static List<JsonNode> rows(String text) {
    List<JsonNode> rows = new ArrayList<>();
    text.lines()
        .forEach(line -> {
          try {
            JsonNode row = JSON.readTree(line);
            if (row.isObject()) {
              rows.add(row);
            }
          } catch (JacksonException _) {
            // The middle of a line, where reading began within one.
          }
        });
    return rows;
  }
}
