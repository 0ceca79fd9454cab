package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/**
 * Rounds rows to 2, 4 or 8 bits an element one at a time, with the bytes that {@link QuantisedRows}
 * has for rows of a list that stays: for messages that each have a list of their own. Draws are
 * keyed by a row's name, so that under one key a row has the same bits whenever it is rounded.
 */
public record RowRounding(int bits, long key) {
  public RowRounding {
    if (bits != 2 && bits != 4 && bits != 8) {
      throw new IllegalArgumentException("rows travel at 2, 4 or 8 bits, not " + bits);
    }
  }

  /** Bytes of a row. */
  public long bytes(int cols) {
    return QuantisedRows.rowBytes(bits, cols);
  }

  /** Writes a row of a matrix, rounded. */
  public void pack(Matrix from, int row, int name, MemorySegment to, long at) {
    float _ = Kernels.quant().pack(from, row, bits, (int) Draws.at(key, name), to, at);
  }

  /** Writes what was packed to a row of a matrix. */
  public void unpack(MemorySegment from, long at, Matrix to, int row) {
    Kernels.quant().unpack(from, at, bits, to, row);
  }
}
