package dev.heddle.tables;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a query as they are made: only a few thousand of them are in memory. Columns are
 * counted from 0.
 *
 * <p>Rows of plain JDBC, not DuckDB's own chunks: those are twice as fast, but end early without a
 * word when a query fails in its middle.
 */
public final class Rows implements AutoCloseable {
  private static final String NO_RESULT = "Invalid result set";

  private final Statement statement;
  private final ResultSet result;

  private Rows(Statement statement, ResultSet result) {
    this.statement = statement;
    this.result = result;
  }

  static Rows of(Connection connection, String sql) {
    try {
      Statement statement = connection.createStatement();
      try {
        return new Rows(statement, statement.executeQuery(sql));
      } catch (SQLException | RuntimeException e) {
        statement.close();
        throw e;
      }
    } catch (SQLException e) {
      throw failed(
          String.valueOf(e.getMessage()).contains(NO_RESULT) ? cause(connection, sql, e) : e);
    }
  }

  /** Of a query that fails at once the driver says nothing; run without a result, it says why. */
  private static SQLException cause(Connection connection, String sql, SQLException e) {
    try (Statement statement = connection.createStatement()) {
      boolean _ = statement.execute("EXPLAIN ANALYZE " + sql);
      return e;
    } catch (SQLException why) {
      return why;
    }
  }

  private static TableException failed(SQLException e) {
    return new TableException(DuckDb.line(e), e);
  }

  /** Goes to the next row; false after the last. */
  public boolean next() {
    try {
      return result.next();
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  public int columns() {
    try {
      return result.getMetaData().getColumnCount();
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  public String columnName(int column) {
    try {
      return result.getMetaData().getColumnLabel(column + 1);
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  /** A whole number; 0 where there is none. */
  public int intAt(int column) {
    try {
      return result.getInt(column + 1);
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  /** A whole number; 0 where there is none. */
  public long longAt(int column) {
    try {
      return result.getLong(column + 1);
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  /** A number; NaN where there is none. */
  public double doubleAt(int column) {
    try {
      double value = result.getDouble(column + 1);
      return value == 0 && result.wasNull() ? Double.NaN : value;
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  /** A text, or null. */
  public @Nullable String textAt(int column) {
    try {
      return result.getString(column + 1);
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  @Override
  public void close() {
    try (statement) {
      result.close();
    } catch (SQLException _) {
      // Of a query that failed, as was said already; nothing is left to be lost.
    }
  }
}
