package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/** Aggregation by the Vector API: which inner loop serves which operands. */
final class SimdGather implements GatherKernels {
  @Override
  public void sum(SumGather g, int from, int to, Matrix out, int outRow) {
    Csr arcs = g.arcs();
    for (int row = from; row < to; row++) {
      long first = arcs.offset(row);
      int n = (int) (arcs.offset(row + 1) - first);
      if (n == 0 && g.accumulate()) {
        continue;
      }
      row(
          g,
          first,
          n,
          out.data(),
          out.offset(outRow + row - from),
          g.rowScale(row),
          g.accumulate());
    }
  }

  @Override
  public void sumArcs(SumGather g, long from, long to, long partialOffset) {
    row(g, from, (int) (to - from), g.partials().data(), partialOffset, 1, false);
  }

  private static void row(
      SumGather g, long first, int n, MemorySegment out, long to, float scale, boolean add) {
    if (g.half()) {
      if (g.coefficients().perArc()) {
        SimdHalfSum.rowByArc(g, first, n, out, to, scale, add);
      } else {
        SimdHalfSum.rowBySource(g, first, n, out, to, scale, add);
      }
    } else if (g.coefficients().perArc()) {
      SimdSumByArc.row(g, first, n, out, to, scale, add);
    } else {
      SimdSumBySource.row(g, first, n, out, to, scale, add);
    }
  }
}
