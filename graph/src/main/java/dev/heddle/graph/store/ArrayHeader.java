package dev.heddle.graph.store;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/**
 * The first 64 bytes of an array's file. All of them follow from the manifest, so that a file is
 * compared with what it should begin with:
 *
 * <pre>
 *  0  8 bytes  "HEDDLEAR"
 *  8  uint32   version, 1
 * 12  uint32   type: 1 int32, 2 int64, 3 float32, 4 uint16, 5 uint8
 * 16  uint64   rows
 * 24  uint32   columns
 * 28  uint32   stride, in elements
 * 32  uint64   bytes that follow the header
 * 40  16 bytes zero
 * 56  uint32   CRC-32 of the bytes that follow the header
 * 60  uint32   CRC-32 of the bytes before
 * </pre>
 */
final class ArrayHeader {
  static final int BYTES = 64;
  static final int VERSION = 1;

  private static final byte[] MAGIC = "HEDDLEAR".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION_AT = 8;
  private static final int LENGTH_AT = 32;
  private static final int DATA_CHECKSUM_AT = 56;
  private static final int CHECKSUM_AT = 60;

  private ArrayHeader() {}

  static ByteBuffer encode(ArrayShape shape, int dataChecksum) {
    ByteBuffer header = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    header.put(MAGIC).putInt(VERSION).putInt(shape.type().code);
    header.putLong(shape.rows()).putInt(shape.columns()).putInt(shape.stride());
    header.putLong(LENGTH_AT, shape.paddedBytes());
    header.putInt(DATA_CHECKSUM_AT, dataChecksum);
    header.putInt(CHECKSUM_AT, checksum(header.array()));
    return header.clear();
  }

  /** What is wrong with a header that is not as expected. */
  static String fault(byte[] header) {
    ByteBuffer fields = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < MAGIC.length; i++) {
      if (header[i] != MAGIC[i]) {
        return "not an array of a store: it does not begin with HEDDLEAR";
      }
    }
    if (fields.getInt(CHECKSUM_AT) != checksum(header)) {
      return "the checksum of its header does not match";
    }
    int version = fields.getInt(VERSION_AT);
    if (version > VERSION) {
      return "of version " + version + ", newer than " + VERSION + ", which this heddle reads";
    }
    return "its header does not agree with the manifest";
  }

  private static int checksum(byte[] header) {
    CRC32 crc = new CRC32();
    crc.update(header, 0, CHECKSUM_AT);
    return (int) crc.getValue();
  }
}
