package dev.heddle.tables;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.duckdb.DuckDBAppender;
import org.jspecify.annotations.Nullable;

/**
 * Writes a table row by row, value by value, in memory that does not depend on the number of rows:
 * they wait on disk, beside the file, which appears when it is whole.
 */
public final class TableWriter implements AutoCloseable {
  private static final String TABLE = "written";
  private static final long MEMORY = 256L << 20;

  private final Path file;
  private final Path temporary;
  private final TableFormat format;
  private final DuckDb db;
  private final DuckDBAppender appender;
  private boolean inRow;
  private boolean closed;

  private TableWriter(Path file, TableFormat format, DuckDb db, DuckDBAppender appender) {
    this.file = file;
    this.temporary = hidden(file, ".tmp");
    this.format = format;
    this.db = db;
    this.appender = appender;
  }

  /**
   * Begins a table.
   *
   * @param file whose name ends in one of {@link TableFormat#ends}
   */
  public static TableWriter create(Path file, List<TableColumn> columns) {
    Path place = file.toAbsolutePath();
    TableFormat format = TableFormat.of(place);
    if (format == null) {
      throw new IllegalArgumentException(
          file + ": the end of its name is none of " + TableFormat.ends());
    }
    DuckDb db = DuckDb.open(hidden(place, ".rows"), MEMORY);
    try {
      String declared =
          columns.stream().map(TableColumn::declaration).collect(Collectors.joining(", "));
      db.execute("CREATE TABLE " + TABLE + " (" + declared + ")");
      DuckDBAppender appender = db.appender(TABLE);
      return new TableWriter(place, format, db, appender);
    } catch (SQLException e) {
      db.close();
      throw new TableException(file + ": cannot be written: " + DuckDb.line(e), e);
    } catch (RuntimeException | Error e) {
      db.close();
      throw e;
    }
  }

  private static Path hidden(Path file, String purpose) {
    return file.resolveSibling("." + file.getFileName() + purpose);
  }

  /** The next value of this row; null for none. */
  public TableWriter put(@Nullable String value) {
    return append(() -> value == null ? appender.appendNull() : appender.append(value));
  }

  public TableWriter put(int value) {
    return append(() -> appender.append(value));
  }

  public TableWriter put(long value) {
    return append(() -> appender.append(value));
  }

  public TableWriter put(float value) {
    return append(() -> appender.append(value));
  }

  public TableWriter put(double value) {
    return append(() -> appender.append(value));
  }

  public TableWriter put(boolean value) {
    return append(() -> appender.append(value));
  }

  public TableWriter put(float[] values) {
    return append(() -> appender.append(values));
  }

  /** Ends a row, every column having been put. */
  public void endRow() {
    TableWriter _ = append(appender::endRow);
    inRow = false;
  }

  /** A call of the appender. */
  private interface Append {
    DuckDBAppender run() throws SQLException;
  }

  private TableWriter append(Append call) {
    try {
      if (!inRow) {
        appender.beginRow();
        inRow = true;
      }
      DuckDBAppender _ = call.run();
      return this;
    } catch (SQLException e) {
      throw new TableException(file + ": cannot be written: " + DuckDb.line(e), e);
    }
  }

  /** Makes the file be there, with all rows that were ended. */
  public void finish() {
    try {
      appender.close();
      db.execute(
          "COPY " + TABLE + " TO " + Sql.text(temporary.toString()) + " (" + format.options + ")");
      Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (SQLException | IOException e) {
      throw new TableException(file + ": cannot be written: " + DuckDb.line(e), e);
    }
  }

  /** Removes all but a finished file. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      appender.close();
      boolean _ = Files.deleteIfExists(temporary);
    } catch (SQLException | IOException _) {
      // A row that was begun and not ended; what is left goes with the database.
    } finally {
      db.close();
    }
  }
}
