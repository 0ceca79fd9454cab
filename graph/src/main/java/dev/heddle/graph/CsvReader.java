package dev.heddle.graph;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a table with a header from a CSV file (RFC 4180), plain or gzipped: fields may be quoted
 * and then hold commas, quotes and line ends. Every row must be as long as the header. Faults name
 * file and line.
 */
final class CsvReader implements Closeable {
  private static final char BYTE_ORDER_MARK = '\uFEFF';
  private static final int END = -1;

  private final Path file;
  private final BufferedReader in;
  private final List<String> header;
  private long line = 1;
  private long rowLine;

  private CsvReader(Path file, BufferedReader in) throws IOException {
    this.file = file;
    this.in = in;
    List<String> first = read();
    if (first == null) {
      throw new GraphFormatException(file, "empty: it has no header");
    }
    header = first.stream().map(String::strip).toList();
  }

  static CsvReader open(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new GraphFormatException(file, "no such file");
    }
    try {
      InputStream raw = Files.newInputStream(file);
      try {
        InputStream bytes = file.toString().endsWith(".gz") ? new GZIPInputStream(raw) : raw;
        return new CsvReader(
            file, new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8)));
      } catch (IOException | RuntimeException e) {
        raw.close();
        throw e;
      }
    } catch (IOException e) {
      throw new GraphFormatException(file, "cannot be read: " + e.getMessage(), e);
    }
  }

  /** The names of the columns. */
  List<String> header() {
    return header;
  }

  /** Where a column is, or −1. */
  int find(String column) {
    return header.indexOf(column);
  }

  /** Where a column is that must be there. */
  int require(String column) {
    int at = find(column);
    if (at < 0) {
      throw new GraphFormatException(
          file, "there is no column '" + column + "'; there are " + String.join(", ", header));
    }
    return at;
  }

  /** The fields of the next row; null at the end. */
  @Nullable List<String> next() {
    try {
      List<String> row = read();
      if (row != null && row.size() != header.size()) {
        throw fault(row.size() + " columns where the header has " + header.size());
      }
      return row;
    } catch (IOException e) {
      throw new GraphFormatException(file, "cannot be read: " + e.getMessage(), e);
    }
  }

  GraphFormatException fault(String fault) {
    return new GraphFormatException(file + ", line " + rowLine, fault);
  }

  private @Nullable List<String> read() throws IOException {
    int c = in.read();
    while (c == '\n' || c == '\r' || c == BYTE_ORDER_MARK) {
      line += c == '\n' ? 1 : 0;
      c = in.read();
    }
    rowLine = line;
    if (c == END) {
      return null;
    }
    List<String> row = new ArrayList<>();
    StringBuilder field = new StringBuilder();
    while (c != END && c != '\n') {
      if (c == ',') {
        row.add(field.toString());
        field.setLength(0);
      } else if (c == '"' && field.isEmpty()) {
        quoted(field);
      } else if (c != '\r') {
        field.append((char) c);
      }
      c = in.read();
    }
    line++;
    row.add(field.toString());
    return row;
  }

  /** The rest of a field that began with a quote. */
  private void quoted(StringBuilder field) throws IOException {
    while (true) {
      int c = in.read();
      if (c == END) {
        throw fault("a quote is not closed");
      }
      line += c == '\n' ? 1 : 0;
      if (c == '"') {
        in.mark(1);
        if (in.read() != '"') {
          in.reset();
          return;
        }
      }
      field.append((char) c);
    }
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      throw new GraphFormatException(file, "cannot be closed: " + e.getMessage(), e);
    }
  }
}
