package dev.heddle.kernel;

/**
 * Where the levels of a quantised row's columns lie among its bytes.
 *
 * <p>Columns come in chunks of {@code 64 / bits}, eight bytes each: byte j has the chunk's columns
 * j, 8 + j, 16 + j and so on, the first in its lowest bits, so that eight columns at a time are
 * shifted and written as they lie in a vector. What is left after the last chunk follows column by
 * column, lowest bits first. Altogether {@code ⌈cols · bits / 8⌉} bytes; spare bits are 0.
 */
final class BitFields {
  /** Bytes of a chunk. */
  static final int CHUNK = 8;

  private BitFields() {}

  static long bytes(int cols, int bits) {
    return ((long) cols * bits + 7) / 8;
  }

  /** Columns that are in chunks. */
  static int inChunks(int cols, int bits) {
    return cols & -chunkCols(bits);
  }

  /** Columns of a chunk: a power of two. */
  private static int chunkCols(int bits) {
    return 8 * CHUNK / bits;
  }

  /**
   * The byte that a column is in.
   *
   * @param chunked how many columns are {@linkplain #inChunks in chunks}
   */
  static int byteOf(int column, int chunked, int bits) {
    int first = column & -chunkCols(bits);
    return column < chunked ? first * bits / 8 + column % CHUNK : column * bits / 8;
  }

  /** The lowest of its bits there. */
  static int shiftOf(int column, int chunked, int bits) {
    return column < chunked
        ? (column & (chunkCols(bits) - 1)) / CHUNK * bits
        : (column - chunked) * bits % 8;
  }
}
