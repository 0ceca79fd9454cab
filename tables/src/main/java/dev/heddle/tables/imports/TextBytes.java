package dev.heddle.tables.imports;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** The bytes of a text file, unzipped where it is gzipped: what lies where, in lines. */
final class TextBytes {
  private static final int BUFFER = 1 << 16;

  private TextBytes() {}

  static boolean zstd(Path file) {
    return file.toString().endsWith(".zst");
  }

  static boolean gzip(Path file) {
    return file.toString().endsWith(".gz");
  }

  static InputStream open(Path file) throws IOException {
    InputStream raw = new BufferedInputStream(Files.newInputStream(file), BUFFER);
    try {
      return gzip(file) ? new BufferedInputStream(new GZIPInputStream(raw, BUFFER), BUFFER) : raw;
    } catch (IOException e) {
      raw.close();
      throw e;
    }
  }

  /** The line, counted from 1, in which a byte lies; 0 where that cannot be told. */
  static long lineOfByte(Path file, long position) {
    if (zstd(file)) {
      return 0;
    }
    try (InputStream in = open(file)) {
      long line = 1;
      for (long at = 0; at < position; at++) {
        int c = in.read();
        if (c < 0) {
          return line;
        }
        line += c == '\n' ? 1 : 0;
      }
      return line;
    } catch (IOException e) {
      return 0;
    }
  }

  /**
   * The line, counted from 1, in which a row of a CSV file begins; rows are counted from 0 after
   * the header. Quoted fields may have lines of their own, and empty lines are no rows.
   */
  static long lineOfRow(Path file, long row) {
    if (zstd(file)) {
      return 0;
    }
    try (InputStream in = open(file)) {
      long line = 1;
      long begin = 1;
      long rows = -1;
      boolean quoted = false;
      boolean empty = true;
      for (int c = in.read(); c >= 0; c = in.read()) {
        quoted ^= c == '"';
        line += c == '\n' ? 1 : 0;
        if (c == '\n' && !quoted) {
          if (!empty && rows++ == row) {
            return begin;
          }
          begin = line;
          empty = true;
        } else if (c != '\r') {
          empty = false;
        }
      }
      return begin;
    } catch (IOException e) {
      return 0;
    }
  }

  /** The line of the first byte that is not UTF-8, or 0 if all are. */
  static long firstLineNotUtf8(Path file) throws IOException {
    try (InputStream in = open(file)) {
      long line = 1;
      int more = 0;
      int low = 0x80;
      int high = 0xBF;
      for (int c = in.read(); c >= 0; c = in.read()) {
        if (more > 0) {
          if (c < low || c > high) {
            return line;
          }
          more--;
          low = 0x80;
          high = 0xBF;
        } else if (c >= 0x80) {
          more =
              c >= 0xC2 && c <= 0xDF
                  ? 1
                  : c >= 0xE0 && c <= 0xEF ? 2 : c >= 0xF0 && c <= 0xF4 ? 3 : 0;
          if (more == 0) {
            return line;
          }
          // No longer form than needed, no surrogates, nothing above U+10FFFF (RFC 3629).
          low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
          high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
        } else if (c == '\n') {
          line++;
        }
      }
      return more > 0 ? line : 0;
    }
  }

  /** The first lines, as far as they need not be kept together by quotes. */
  static byte[] head(Path file, int bytes) throws IOException {
    try (InputStream in = open(file)) {
      return in.readNBytes(bytes);
    }
  }
}
