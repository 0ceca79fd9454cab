package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;

/**
 * The reference that {@link SimdQuant} is tested against, and the fallback without vectors of eight
 * floats.
 */
final class ScalarQuant implements QuantKernels {
  @Override
  public float pack(Matrix from, int row, int bits, int draw, MemorySegment to, long at) {
    float min = Float.POSITIVE_INFINITY;
    float max = Float.NEGATIVE_INFINITY;
    for (int c = 0; c < from.cols(); c++) {
      min = Math.min(min, from.get(row, c));
      max = Math.max(max, from.get(row, c));
    }
    to.set(JAVA_INT_UNALIGNED, at, RowGrid.of(min, max, bits));
    long levels = at + RowGrid.BYTES;
    for (long end = levels + BitFields.bytes(from.cols(), bits), b = levels; b < end; b++) {
      to.set(JAVA_BYTE, b, (byte) 0);
    }
    packColumns(from, row, 0, bits, draw, to, at);
    return max - min;
  }

  /**
   * Writes columns from the {@code first} on into bytes that are zero, by the grid that is there.
   */
  static void packColumns(
      Matrix from, int row, int first, int bits, int draw, MemorySegment to, long at) {
    int grid = to.get(JAVA_INT_UNALIGNED, at);
    int top = RowGrid.top(bits);
    float zero = RowGrid.zero(grid);
    float inverse = RowGrid.inverse(grid);
    int chunked = BitFields.inChunks(from.cols(), bits);
    for (int c = first; c < from.cols(); c++) {
      float x = (from.get(row, c) - zero) * inverse;
      int level = (int) x;
      if ((Draws.column(draw, c) >>> 8) * 0x1p-24f < x - level) {
        level++;
      }
      long b = at + RowGrid.BYTES + BitFields.byteOf(c, chunked, bits);
      int field = Math.min(level, top) << BitFields.shiftOf(c, chunked, bits);
      to.set(JAVA_BYTE, b, (byte) (to.get(JAVA_BYTE, b) | field));
    }
  }

  @Override
  public void unpack(MemorySegment from, long at, int bits, Matrix to, int row) {
    unpackColumns(from, at, bits, to, row, 0);
  }

  /** Reads columns from the {@code first} on. */
  static void unpackColumns(MemorySegment from, long at, int bits, Matrix to, int row, int first) {
    int grid = from.get(JAVA_INT_UNALIGNED, at);
    float zero = RowGrid.zero(grid);
    float step = RowGrid.step(grid);
    int chunked = BitFields.inChunks(to.cols(), bits);
    for (int c = first; c < to.cols(); c++) {
      to.set(row, c, level(from, at, c, chunked, bits) * step + zero);
    }
  }

  @Override
  public void add(MemorySegment from, long at, int bits, Matrix to, int row) {
    addColumns(from, at, bits, to, row, 0);
  }

  /** Adds columns from the {@code first} on. */
  static void addColumns(MemorySegment from, long at, int bits, Matrix to, int row, int first) {
    int grid = from.get(JAVA_INT_UNALIGNED, at);
    float zero = RowGrid.zero(grid);
    float step = RowGrid.step(grid);
    int chunked = BitFields.inChunks(to.cols(), bits);
    for (int c = first; c < to.cols(); c++) {
      float value = level(from, at, c, chunked, bits) * step + zero;
      to.set(row, c, to.get(row, c) + value);
    }
  }

  private static int level(MemorySegment packed, long at, int c, int chunked, int bits) {
    int word = packed.get(JAVA_BYTE, at + RowGrid.BYTES + BitFields.byteOf(c, chunked, bits));
    return (word >>> BitFields.shiftOf(c, chunked, bits)) & RowGrid.top(bits);
  }
}
