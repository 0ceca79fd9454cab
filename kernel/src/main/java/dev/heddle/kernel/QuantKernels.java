package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/** What {@link QuantisedRows} and {@link RowRounding} do with one row. */
interface QuantKernels {
  /** Rounds a row to its grid and writes both; returns how far its values lie apart. */
  float pack(Matrix from, int row, int bits, int draw, MemorySegment to, long at);

  /** Writes what was packed to a row. */
  void unpack(MemorySegment from, long at, int bits, Matrix to, int row);

  /** Adds what was packed to a row. */
  void add(MemorySegment from, long at, int bits, Matrix to, int row);
}
