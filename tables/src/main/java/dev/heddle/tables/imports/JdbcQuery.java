package dev.heddle.tables.imports;

import dev.heddle.tables.DuckDb;
import dev.heddle.tables.TableException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.List;
import java.util.TimeZone;
import java.util.stream.Collectors;
import org.duckdb.DuckDBAppender;

/**
 * A query of any database that has a JDBC driver. Its result is copied into DuckDB as it comes,
 * some thousand rows at a time, because it can be read only once.
 */
final class JdbcQuery {
  /** Rows that a driver fetches at a time; without a number many fetch all of them. */
  private static final int FETCH = 4096;

  private final DuckDb db;
  private final String role;
  private final TableSettings settings;

  JdbcQuery(DuckDb db, String role, TableSettings settings) {
    this.db = db;
    this.role = role;
    this.settings = settings;
  }

  Part copied() {
    String url = settings.files().getFirst();
    // What follows may be a password.
    String place = url.replaceAll("[?;].*", "").replaceAll("//[^/@]*@", "//");
    try (Connection connection = connect(url)) {
      // PostgreSQL fetches all rows at once unless inside a transaction.
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.setFetchSize(FETCH);
        try (ResultSet result = statement.executeQuery(settings.query())) {
          return copied(place + " (" + role + ")", result);
        }
      }
    } catch (SQLException e) {
      String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("failed");
      boolean driver = message.startsWith("No suitable driver");
      throw Problems.of(
          place + " (" + role + ")",
          driver ? "no driver for it: put its jar into lib/tables" : message);
    }
  }

  private static Connection connect(String url) throws SQLException {
    String user = System.getenv("HEDDLE_JDBC_USER");
    String password = System.getenv("HEDDLE_JDBC_PASSWORD");
    return user == null
        ? DriverManager.getConnection(url)
        : DriverManager.getConnection(url, user, password);
  }

  private Part copied(String name, ResultSet result) throws SQLException {
    ResultSetMetaData meta = result.getMetaData();
    List<SourceColumn> columns = new ArrayList<>();
    List<String> declared = new ArrayList<>();
    for (int i = 1; i <= meta.getColumnCount(); i++) {
      ColumnType type = type(meta, i);
      columns.add(new SourceColumn(meta.getColumnLabel(i), type, "c" + (i - 1)));
      declared.add("c" + (i - 1) + " " + sql(type));
    }
    CsvHeader.requireDistinct(name, columns.stream().map(SourceColumn::name).toList());
    String table = "query_" + role;
    db.execute(
        declared.stream().collect(Collectors.joining(", ", "CREATE TABLE " + table + " (", ")")));
    long rows = 0;
    try (DuckDBAppender appender = db.appender(table)) {
      while (result.next()) {
        appender.beginRow();
        for (int i = 0; i < columns.size(); i++) {
          append(appender, result, i + 1, columns.get(i).type());
        }
        appender.endRow();
        rows++;
      }
    } catch (TableException e) {
      throw Problems.of(name, String.valueOf(e.getMessage()));
    }
    return new Part(name, null, null, table, columns, rows, true);
  }

  private static ColumnType type(ResultSetMetaData meta, int column) throws SQLException {
    return switch (meta.getColumnType(column)) {
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> ColumnType.WHOLE;
      case Types.REAL, Types.FLOAT, Types.DOUBLE -> ColumnType.REAL;
      case Types.NUMERIC, Types.DECIMAL ->
          meta.getScale(column) == 0
                  && meta.getPrecision(column) > 0
                  && meta.getPrecision(column) <= 18
              ? ColumnType.WHOLE
              : ColumnType.REAL;
      case Types.BOOLEAN, Types.BIT -> ColumnType.BOOLEAN;
      case Types.DATE, Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE -> ColumnType.TIME;
      default -> ColumnType.TEXT;
    };
  }

  private static String sql(ColumnType type) {
    return switch (type) {
      case WHOLE -> "BIGINT";
      case REAL -> "DOUBLE";
      case BOOLEAN -> "BOOLEAN";
      case TIME -> "TIMESTAMP";
      default -> "VARCHAR";
    };
  }

  private static void append(DuckDBAppender to, ResultSet from, int column, ColumnType type)
      throws SQLException {
    if (from.getObject(column) == null) {
      to.appendNull();
      return;
    }
    switch (type) {
      case WHOLE -> to.append(from.getLong(column));
      case REAL -> to.append(from.getDouble(column));
      case BOOLEAN -> to.append(from.getBoolean(column));
      case TIME -> to.append(time(from, column));
      default -> to.append(from.getString(column));
    }
  }

  /** Times as the table says them, whatever the time zone of this machine. */
  private static LocalDateTime time(ResultSet from, int column) throws SQLException {
    Timestamp time = from.getTimestamp(column, Calendar.getInstance(TimeZone.getTimeZone("UTC")));
    return LocalDateTime.ofInstant(time.toInstant(), ZoneOffset.UTC);
  }
}
