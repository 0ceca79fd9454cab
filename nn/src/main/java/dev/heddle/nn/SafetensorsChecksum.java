package dev.heddle.nn;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * The checksum in a weight file's metadata: CRC-32C of the whole file, with zeros in the eight
 * characters that it stands in. It notices any change of up to four bytes in a row.
 */
final class SafetensorsChecksum {
  static final String KEY = "heddle.crc32c";

  /** What stands in its place while the others are summed. */
  static final String NONE = "00000000";

  /** Bytes of a file that are summed at a time. */
  private static final long PART = 1 << 24;

  private SafetensorsChecksum() {}

  static String text(CRC32C checksum) {
    return HexFormat.of().toHexDigits((int) checksum.getValue());
  }

  /** Where in the header's JSON it stands. */
  static int placeIn(byte[] header) {
    String start = "\"" + KEY + "\":\"";
    int at = new String(header, StandardCharsets.ISO_8859_1).indexOf(start);
    if (at < 0) {
      throw new IllegalStateException("the header has no place for a checksum");
    }
    return at + start.length();
  }

  /** What the checksum of a file should be; {@code found} is what its header says. */
  static String of(MemorySegment file, String found) {
    CRC32C checksum = new CRC32C();
    long at = headerPlace(file, found);
    if (at < 0) {
      return "";
    }
    update(checksum, file.asSlice(0, at));
    checksum.update(NONE.getBytes(StandardCharsets.US_ASCII));
    update(checksum, file.asSlice(at + NONE.length()));
    return text(checksum);
  }

  private static long headerPlace(MemorySegment file, String found) {
    if (found.length() != NONE.length()) {
      return -1;
    }
    // A header is at most 100 MB; the metadata comes first in it.
    byte[] start = file.asSlice(0, Math.min(file.byteSize(), PART)).toArray(ValueLayout.JAVA_BYTE);
    String text = "\"" + KEY + "\":\"" + found;
    int at = new String(start, StandardCharsets.ISO_8859_1).indexOf(text);
    return at < 0 ? -1 : at + text.length() - NONE.length();
  }

  private static void update(CRC32C checksum, MemorySegment bytes) {
    for (long at = 0; at < bytes.byteSize(); at += PART) {
      ByteBuffer part = bytes.asSlice(at, Math.min(PART, bytes.byteSize() - at)).asByteBuffer();
      checksum.update(part);
    }
  }
}
