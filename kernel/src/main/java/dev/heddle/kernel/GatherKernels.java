package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/** Inner loops of aggregation over ranges of rows or arcs. */
interface GatherKernels {
  /**
   * Finished rows {@code from} to {@code to} (exclusive), into rows of {@code out} that begin at
   * {@code outRow}. The output is as wide as {@code g.out()}.
   */
  void sum(SumGather g, int from, int to, Matrix out, int outRow);

  /**
   * The unscaled sum over arcs {@code from} to {@code to} (exclusive) of one row, into {@code
   * g.partials()} at a byte offset.
   */
  void sumArcs(SumGather g, long from, long to, long partialOffset);

  /**
   * Goes on with an unscaled sum at a byte offset of {@code sums}: of arcs {@code from} to {@code
   * to} (exclusive) of one row, after those before. Of float32 rows alone.
   */
  void addArcs(SumGather g, long from, long to, MemorySegment sums, long offset);

  /** Writes a row of {@code g.out()} whose unscaled sum is whole, as {@link #sum} does. */
  void finish(SumGather g, int row, MemorySegment sums, long offset);
}
