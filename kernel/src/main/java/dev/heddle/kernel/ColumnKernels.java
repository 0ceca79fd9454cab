package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/** Sums over rows, column by column, added to what the output holds. */
interface ColumnKernels {
  /**
   * {@code out[c] += Σ_r x[r][c]} for {@code rows} rows that lie {@code stride} bytes apart.
   *
   * @param at byte offset of the first row in {@code x}
   * @param outAt byte offset of the sums in {@code out}
   */
  void sum(
      MemorySegment x, long at, long stride, int rows, int cols, MemorySegment out, long outAt);

  /**
   * {@code out[outRow][c] += Σ_r x[r][c] · (y[r][c] − mean[c])} for rows {@code from} to {@code
   * to}. The mean is taken off before summing: afterwards, most digits would cancel.
   */
  void centredDot(Matrix x, Matrix y, Matrix mean, int from, int to, Matrix out, int outRow);

  /** {@code out[outRow][c] += Σ_r (x[r][c] − mean[c])²} for rows {@code from} to {@code to}. */
  void squares(Matrix x, Matrix mean, int from, int to, Matrix out, int outRow);

  /** {@link #sum(MemorySegment, long, long, int, int, MemorySegment, long)} of a matrix's rows. */
  default void sum(Matrix x, int from, int to, Matrix out, int outRow) {
    long stride = (long) x.stride() * Float.BYTES;
    sum(x.data(), x.offset(from), stride, to - from, x.cols(), out.data(), out.offset(outRow));
  }
}
