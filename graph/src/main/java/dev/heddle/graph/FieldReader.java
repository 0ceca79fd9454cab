package dev.heddle.graph;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/**
 * Walks through the fields of a text file, plain or gzipped, without an object per line or field.
 *
 * <p>Lines end in LF or CR LF, fields in a comma. Empty lines are passed over. Every fault names
 * file and line.
 */
final class FieldReader implements Closeable {
  private static final int BUFFER = 1 << 16;

  /** Longer fields are no numbers; only their beginning is kept. */
  private static final int LONGEST = 64;

  private static final int END_OF_FILE = -1;

  private final Path file;
  private final InputStream in;
  private final byte[] buffer = new byte[BUFFER];
  private int position;
  private int limit;

  // As if an empty line had been read: nothing is taken from the file before the first line is.
  private int next = '\n';
  private long line;

  private final byte[] field = new byte[LONGEST];
  private int length;

  private FieldReader(Path file, InputStream in) {
    this.file = file;
    this.in = in;
  }

  /** Opens a file, which is gzipped if its name ends so. */
  static FieldReader open(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new GraphFormatException(file, "no such file");
    }
    try {
      InputStream raw = Files.newInputStream(file);
      return new FieldReader(file, file.toString().endsWith(".gz") ? unzip(raw) : raw);
    } catch (IOException e) {
      throw new GraphFormatException(file, "cannot be read: " + e.getMessage(), e);
    }
  }

  private static InputStream unzip(InputStream raw) throws IOException {
    try {
      return new GZIPInputStream(raw, BUFFER);
    } catch (IOException e) {
      raw.close();
      throw e;
    }
  }

  /** Goes to the next line that is not empty; false at the end of the file. */
  boolean atLine() {
    while (next == '\n' || next == '\r') {
      if (next == '\n') {
        line++;
      }
      advance();
    }
    return next != END_OF_FILE;
  }

  /** Reads the next field of this line; the comma or line end after it is left. */
  void readField() {
    int n = 0;
    while (next != ',' && next != '\n' && next != '\r' && next != END_OF_FILE) {
      if (n < LONGEST) {
        field[n] = (byte) next;
      }
      n++;
      advance();
    }
    length = n;
  }

  /** Steps over the comma after a field; false at the end of the line. */
  boolean atNextField() {
    if (next != ',') {
      return false;
    }
    advance();
    return true;
  }

  /** The field as a vertex id less than {@code bound}. */
  int vertex(int bound) {
    long id = 0;
    // Eighteen digits always fit a long.
    boolean digits = length > 0 && length <= 18;
    for (int i = 0; i < length && digits; i++) {
      int digit = field[i] - '0';
      digits = digit >= 0 && digit <= 9;
      id = 10 * id + digit;
    }
    if (!digits) {
      throw fault("'" + text() + "' is not a vertex id");
    }
    if (id >= bound) {
      throw fault("vertex id " + id + " is out of range: ids go from 0 to " + (bound - 1));
    }
    return (int) id;
  }

  /** The field as a finite number. */
  float number() {
    float value;
    try {
      value = length > LONGEST ? Float.NaN : Float.parseFloat(text());
    } catch (NumberFormatException e) {
      value = Float.NaN;
    }
    if (!Float.isFinite(value)) {
      throw fault("'" + text() + "' is not a finite number");
    }
    return value;
  }

  /** The field as text. */
  String text() {
    String kept = new String(field, 0, Math.min(length, LONGEST), StandardCharsets.UTF_8);
    return length > LONGEST ? kept + "…" : kept;
  }

  GraphFormatException fault(String fault) {
    return new GraphFormatException(file + ", line " + line, fault);
  }

  private void advance() {
    if (position == limit) {
      fill();
    }
    next = limit == 0 ? END_OF_FILE : buffer[position++] & 0xFF;
  }

  private void fill() {
    position = 0;
    try {
      limit = Math.max(in.read(buffer), 0);
    } catch (IOException e) {
      limit = 0;
      throw new GraphFormatException(
          file + ", line " + line, "cannot be read: " + e.getMessage(), e);
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
