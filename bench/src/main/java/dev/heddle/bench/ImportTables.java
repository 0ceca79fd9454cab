package dev.heddle.bench;

import dev.heddle.tables.DuckDb;
import dev.heddle.tables.Sql;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Writes the tables that {@code bench/import} imports: Parquet files of edges between ids of text,
 * and of vertices with numbers. Their content is a function of the row alone.
 */
public final class ImportTables {
  private static final long MEMORY = 1L << 30;

  private ImportTables() {}

  /** Arguments: folder, vertices, edges, width. */
  public static void main(String[] args) {
    Path folder = Path.of(args[0]);
    long vertices = Long.parseLong(args[1]);
    long edges = Long.parseLong(args[2]);
    int width = Integer.parseInt(args[3]);
    try (DuckDb db = DuckDb.open(folder.resolve(".making"), MEMORY)) {
      String columns =
          IntStream.range(0, width)
              .mapToObj(i -> "((hash(range * 64 + " + i + ") % 1000) / 1000)::FLOAT AS x" + i)
              .collect(Collectors.joining(", "));
      write(
          db,
          "SELECT 'user-' || hash(range) AS id, "
              + columns
              + ", hash(range) % 7 AS label FROM range("
              + vertices
              + ")",
          folder.resolve("nodes.parquet"));
      String end = "'user-' || hash((hash(range * 2 + %d) %% " + vertices + ")::BIGINT)";
      write(
          db,
          "SELECT "
              + end.replace("%d", "0").replace("%%", "%")
              + " AS src, "
              + end.replace("%d", "1").replace("%%", "%")
              + " AS dst FROM range("
              + edges
              + ")",
          folder.resolve("edges.parquet"));
    }
  }

  private static void write(DuckDb db, String sql, Path file) {
    db.execute("COPY (" + sql + ") TO " + Sql.text(file.toString()) + " (FORMAT parquet)");
  }
}
