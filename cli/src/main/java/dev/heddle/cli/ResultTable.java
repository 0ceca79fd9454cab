package dev.heddle.cli;

import dev.heddle.tables.TableColumn;
import dev.heddle.tables.TableWriter;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * A table of results as it is written, value by value, in memory that does not depend on the number
 * of rows. The file appears when it is whole.
 */
sealed interface ResultTable extends AutoCloseable {
  void put(String value) throws IOException;

  void put(float value) throws IOException;

  void put(float[] values) throws IOException;

  /** Ends a row, every column having been put. */
  void endRow() throws IOException;

  /** Makes the file be there. */
  void finish() throws IOException;

  @Override
  void close() throws IOException;

  /** Begins a table; plain CSV needs nothing else, other formats are written by DuckDB. */
  static ResultTable create(Path file, ResultFormat format, List<TableColumn> columns)
      throws IOException {
    return format == ResultFormat.CSV ? new Csv(file, columns) : new Other(file, format, columns);
  }

  /** Comma-separated values. */
  final class Csv implements ResultTable {
    private final Path file;
    private final Path temporary;
    private final BufferedWriter out;
    private boolean inRow;

    private Csv(Path file, List<TableColumn> columns) throws IOException {
      this.file = file;
      temporary = file.resolveSibling(file.getFileName() + ".tmp");
      out = Files.newBufferedWriter(temporary);
      for (TableColumn column : columns) {
        put(column.name());
      }
      endRow();
    }

    @Override
    public void put(String value) throws IOException {
      boolean plain = value.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
      next();
      out.write(plain ? value : '"' + value.replace("\"", "\"\"") + '"');
    }

    @Override
    public void put(float value) throws IOException {
      next();
      out.write(Float.toString(value));
    }

    @Override
    public void put(float[] values) throws IOException {
      for (float value : values) {
        put(value);
      }
    }

    private void next() throws IOException {
      if (inRow) {
        out.write(',');
      }
      inRow = true;
    }

    @Override
    public void endRow() throws IOException {
      out.write('\n');
      inRow = false;
    }

    @Override
    public void finish() throws IOException {
      out.close();
      Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void close() throws IOException {
      out.close();
      Files.deleteIfExists(temporary);
    }
  }

  /** A format of DuckDB's, under a name of that format until it is whole. */
  final class Other implements ResultTable {
    private final Path file;
    private final Path written;
    private final TableWriter writer;
    private final boolean nests;

    private Other(Path file, ResultFormat format, List<TableColumn> columns) {
      this.file = file;
      written = file.resolveSibling(file.getFileName() + ".tmp" + format.end());
      nests = format.nests();
      writer = TableWriter.create(written, columns);
    }

    @Override
    public void put(String value) {
      writer.put(value);
    }

    @Override
    public void put(float value) {
      writer.put(value);
    }

    @Override
    public void put(float[] values) {
      if (nests) {
        writer.put(values);
      } else {
        for (float value : values) {
          writer.put(value);
        }
      }
    }

    @Override
    public void endRow() {
      writer.endRow();
    }

    @Override
    public void finish() throws IOException {
      writer.finish();
      Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void close() throws IOException {
      writer.close();
      Files.deleteIfExists(written);
    }
  }
}
