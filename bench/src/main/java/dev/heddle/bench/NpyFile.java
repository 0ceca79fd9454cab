package dev.heddle.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Small arrays in NumPy's file format, version 1.0, written without the product's own writer. */
final class NpyFile {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  private static final int ALIGNMENT = 64;

  private NpyFile() {}

  /** Writes float32, of one dimension where {@code columns} is 0, else in rows. */
  static void write(Path file, float[] values, int columns) throws IOException {
    ByteBuffer data = littleEndian(Float.BYTES * values.length);
    data.asFloatBuffer().put(values);
    write(file, "<f4", values.length, columns, data);
  }

  /** Writes int32, of one dimension where {@code columns} is 0, else in rows. */
  static void write(Path file, int[] values, int columns) throws IOException {
    ByteBuffer data = littleEndian(Integer.BYTES * values.length);
    data.asIntBuffer().put(values);
    write(file, "<i4", values.length, columns, data);
  }

  private static void write(Path path, String type, int length, int columns, ByteBuffer data)
      throws IOException {
    String shape = columns == 0 ? length + "," : length / columns + ", " + columns;
    String header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    int before = MAGIC.length + Short.BYTES;
    int unpadded = before + header.length() + 1;
    String line = header + " ".repeat(Math.floorMod(-unpadded, ALIGNMENT)) + "\n";
    byte[] file = new byte[before + line.length() + data.capacity()];
    ByteBuffer all = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    all.put(MAGIC).putShort((short) line.length());
    all.put(line.getBytes(StandardCharsets.ISO_8859_1)).put(data);
    Files.write(path, file);
  }

  private static ByteBuffer littleEndian(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
