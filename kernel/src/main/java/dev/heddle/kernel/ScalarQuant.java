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
  public void pack(QuantisedRows q, int bits, int from, int to) {
    Matrix m = q.matrix();
    MemorySegment out = q.packed();
    for (int place = from; place < to; place++) {
      int row = q.row(place);
      float min = Float.POSITIVE_INFINITY;
      float max = Float.NEGATIVE_INFINITY;
      for (int c = 0; c < m.cols(); c++) {
        min = Math.min(min, m.get(row, c));
        max = Math.max(max, m.get(row, c));
      }
      q.ranged(place, max - min);
      int grid = RowGrid.of(min, max, bits);
      long at = q.offset(bits, place);
      out.set(JAVA_INT_UNALIGNED, at, grid);
      at += RowGrid.BYTES;
      for (long end = at + BitFields.bytes(m.cols(), bits), b = at; b < end; b++) {
        out.set(JAVA_BYTE, b, (byte) 0);
      }
      packColumns(q, bits, row, grid, 0, at);
    }
  }

  /**
   * Writes columns from the {@code first} on into bytes that are zero.
   *
   * @param at where the row's levels begin
   */
  static void packColumns(QuantisedRows q, int bits, int row, int grid, int first, long at) {
    Matrix m = q.matrix();
    int top = RowGrid.top(bits);
    float zero = RowGrid.zero(grid);
    float inverse = RowGrid.inverse(grid);
    int draw = q.draw(row);
    int chunked = BitFields.inChunks(m.cols(), bits);
    for (int c = first; c < m.cols(); c++) {
      float x = (m.get(row, c) - zero) * inverse;
      int level = (int) x;
      if ((Draws.column(draw, c) >>> 8) * 0x1p-24f < x - level) {
        level++;
      }
      long to = at + BitFields.byteOf(c, chunked, bits);
      int field = Math.min(level, top) << BitFields.shiftOf(c, chunked, bits);
      q.packed().set(JAVA_BYTE, to, (byte) (q.packed().get(JAVA_BYTE, to) | field));
    }
  }

  @Override
  public void unpack(QuantisedRows q, int bits, int from, int to) {
    for (int place = from; place < to; place++) {
      unpackColumns(q, bits, place, 0);
    }
  }

  /** Reads columns from the {@code first} on. */
  static void unpackColumns(QuantisedRows q, int bits, int place, int first) {
    Matrix m = q.matrix();
    int row = q.row(place);
    long at = q.offset(bits, place);
    int grid = q.packed().get(JAVA_INT_UNALIGNED, at);
    float zero = RowGrid.zero(grid);
    float step = RowGrid.step(grid);
    int chunked = BitFields.inChunks(m.cols(), bits);
    for (int c = first; c < m.cols(); c++) {
      m.set(row, c, level(q.packed(), at, c, chunked, bits) * step + zero);
    }
  }

  @Override
  public void add(QuantisedRows q, int bits, int from, int to) {
    for (int place = from; place < to; place++) {
      addColumns(q, bits, place, 0);
    }
  }

  /** Adds columns from the {@code first} on. */
  static void addColumns(QuantisedRows q, int bits, int place, int first) {
    Matrix m = q.matrix();
    int row = q.row(place);
    long at = q.offset(bits, place);
    int grid = q.packed().get(JAVA_INT_UNALIGNED, at);
    float zero = RowGrid.zero(grid);
    float step = RowGrid.step(grid);
    int chunked = BitFields.inChunks(m.cols(), bits);
    for (int c = first; c < m.cols(); c++) {
      float value = level(q.packed(), at, c, chunked, bits) * step + zero;
      m.set(row, c, m.get(row, c) + value);
    }
  }

  private static int level(MemorySegment packed, long at, int c, int chunked, int bits) {
    int word = packed.get(JAVA_BYTE, at + RowGrid.BYTES + BitFields.byteOf(c, chunked, bits));
    return (word >>> BitFields.shiftOf(c, chunked, bits)) & RowGrid.top(bits);
  }
}
