package dev.heddle.kernel;

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
}
