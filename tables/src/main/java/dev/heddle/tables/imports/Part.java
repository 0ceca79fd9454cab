package dev.heddle.tables.imports;

import dev.heddle.tables.DuckDb;
import dev.heddle.tables.Rows;
import dev.heddle.tables.Sql;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file of a source, or the result of its query.
 *
 * @param name for messages
 * @param file whose lines rows are; null where rows are not lines
 * @param read the file that DuckDB reads, which differs where text had to be converted
 * @param relation what stands for it in a query, columns being called as {@link SourceColumn} says
 * @param columns in its order
 * @param rows how many rows there are, roughly; −1 if that is not known
 * @param typed whether reading it again costs little and needs no conversion: Parquet
 */
record Part(
    String name,
    @Nullable Path file,
    @Nullable Path read,
    String relation,
    List<SourceColumn> columns,
    long rows,
    boolean typed) {

  /** Where a row is, counted from 0. */
  String place(long row) {
    long line = read == null || typed ? 0 : TextBytes.lineOfRow(read, row);
    return line > 0 ? name + ", line " + line : name + ", row " + (row + 1);
  }

  /** Tells lines that were no rows: the first of them, and what is wrong with each. */
  void rejected(DuckDb db, Problems problems) {
    if (read == null || typed) {
      return;
    }
    String sql =
        "SELECT DISTINCT e.byte_position, e.line, e.error_type::VARCHAR, e.error_message,"
            + " e.column_name FROM reject_errors e JOIN reject_scans s ON e.scan_id = s.scan_id AND"
            + " e.file_id = s.file_id WHERE s.file_path = "
            + Sql.text(read.toString())
            + " ORDER BY 1, 2 LIMIT "
            + Problems.FIRST;
    try (Rows rows = db.query(sql)) {
      while (rows.next()) {
        long line = TextBytes.lineOfByte(read, Math.max(0, rows.longAt(0) - 1));
        problems.add(
            name + ", line " + (line > 0 ? line : rows.longAt(1)),
            fault(String.valueOf(rows.textAt(2)), String.valueOf(rows.textAt(3))));
      }
    }
  }

  private String fault(String kind, String message) {
    String found = message.replaceAll(".*Found: (\\d+).*", "$1");
    return switch (kind) {
      case "MISSING COLUMNS" ->
          found + " columns where the header has " + columns.size() + " (another --delimiter?)";
      case "TOO MANY COLUMNS" ->
          "more columns than the " + columns.size() + " of the header (another --delimiter?)";
      case "UNQUOTED VALUE" -> "a quote is not closed, or text follows it";
      case "INVALID ENCODING" -> "not UTF-8: --encoding latin-1 or windows-1252 may be what it is";
      default -> message;
    };
  }
}
