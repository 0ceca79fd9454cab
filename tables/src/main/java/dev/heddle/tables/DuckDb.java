package dev.heddle.tables;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Properties;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/**
 * DuckDB in this process, over a folder of its own where it keeps what does not fit its memory. The
 * folder is removed at the end.
 *
 * <p>Three traps are closed here: without a limit DuckDB takes most of the machine, without a
 * temporary folder it writes beside whatever is open, and without streaming a result is held in
 * memory as a whole. Extensions, which it would fetch from the network, are off.
 */
public final class DuckDb implements AutoCloseable {
  private static final String DRIVER = "org.duckdb.DuckDBDriver";

  /** Times are those that tables say, on every machine. */
  private static final String UTC = "SET TimeZone = 'UTC'";

  private final Path folder;
  private final DuckDBConnection connection;

  private DuckDb(Path folder, DuckDBConnection connection) {
    this.folder = folder;
    this.connection = connection;
  }

  /**
   * Opens an empty database.
   *
   * @param folder made here, and removed when this is closed; one that is there is removed first
   * @param memory bytes that DuckDB may take; what needs more goes to the folder
   */
  public static DuckDb open(Path folder, long memory) {
    requireDriver();
    try {
      delete(folder);
      Files.createDirectories(folder);
      Properties settings = new Properties();
      settings.setProperty("memory_limit", String.format(Locale.ROOT, "%dKB", memory / 1000));
      settings.setProperty("temp_directory", folder.resolve("spill").toString());
      settings.setProperty("threads", "" + Runtime.getRuntime().availableProcessors());
      settings.setProperty("jdbc_stream_results", "true");
      settings.setProperty("preserve_insertion_order", "true");
      settings.setProperty("autoinstall_known_extensions", "false");
      settings.setProperty("autoload_known_extensions", "false");
      String place = "jdbc:duckdb:" + folder.resolve("tables.duckdb");
      return new DuckDb(folder, DuckDBConnection.newConnection(place, false, UTC, settings));
    } catch (IOException | SQLException e) {
      throw new TableException(folder + ": cannot be used for tables: " + line(e), e);
    }
  }

  private static void requireDriver() {
    try {
      Class<?> _ = Class.forName(DRIVER, false, DuckDb.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new TableException(
          "tables are read by DuckDB, whose jar (duckdb_jdbc) is not in the folder lib/tables", e);
    }
  }

  /** What a fault of DuckDB says, in one line. */
  static String line(Exception e) {
    String message = String.valueOf(e.getMessage()).strip();
    return message.lines().findFirst().orElse(message);
  }

  /** Runs a statement whose result is of no interest. */
  public void execute(String sql) {
    try (Statement statement = connection.createStatement()) {
      boolean _ = statement.execute(sql);
    } catch (SQLException e) {
      throw new TableException(line(e), e);
    }
  }

  /** The result of a query, a chunk of rows at a time; rows of a table come in its order. */
  public Rows query(String sql) {
    return Rows.of(connection, sql);
  }

  /** The first value of a query's first row. */
  public long number(String sql) {
    try (Rows rows = query(sql)) {
      return rows.next() ? rows.longAt(0) : 0;
    }
  }

  /** Appends rows to a table. */
  public DuckDBAppender appender(String table) throws SQLException {
    return connection.createAppender(DuckDBConnection.DEFAULT_SCHEMA, table);
  }

  /** A file that is only needed as long as this is open. */
  public Path scratch(String name) {
    return folder.resolve(name);
  }

  @Override
  public void close() {
    try {
      connection.close();
      delete(folder);
    } catch (SQLException | IOException e) {
      throw new TableException(folder + ": cannot be removed: " + line(e), e);
    }
  }

  /** Removes a folder of temporary files, which a process that died may have left. */
  static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, IOException e)
              throws IOException {
            Files.delete(directory);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
