package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Aggregation by the Vector API: which inner loop serves which operands. */
final class SimdGather implements GatherKernels {
  @Override
  public void sum(SumGather g, int from, int to, Matrix out, int outRow) {
    Csr arcs = g.arcs();
    if (!g.half()) {
      floats(g, from, to, arcs.offset(from), arcs.offset(to), out.data(), out.offset(outRow), true);
      return;
    }
    for (int row = from; row < to; ) {
      int end = bringHalves(g, row, to);
      for (; row < end; row++) {
        long first = arcs.offset(row);
        int n = (int) (arcs.offset(row + 1) - first);
        if (n == 0 && g.accumulate()) {
          continue;
        }
        long at = out.offset(outRow + row - from);
        half(g, first, n, out.data(), at, g.rowScale(row), g.accumulate());
      }
    }
  }

  @Override
  public void sumArcs(SumGather g, long from, long to, long partialOffset) {
    MemorySegment partials = g.partials().data();
    if (g.half()) {
      half(g, from, (int) (to - from), partials, partialOffset, 1, false);
    } else {
      floats(g, 0, 1, from, to, partials, partialOffset, false);
    }
  }

  /**
   * Brings what rows {@code from} to some row before {@code to} will sum; returns that row. Of more
   * than fits, the rest is left to the sums themselves.
   */
  private static int bringHalves(SumGather g, int from, int to) {
    Csr arcs = g.arcs();
    long first = arcs.offset(from);
    long most = first + Math.max(1, RowsAhead.BYTES / g.sourceStride());
    int end = from + 1;
    while (end < to && arcs.offset(end + 1) <= most) {
      end++;
    }
    int count = (int) (Math.min(most, arcs.offset(end)) - first);
    RowsAhead.bring(g.x(), g.sourceStride(), arcs.ids(), first, count);
    return end;
  }

  /** The loops read and write addresses: that these lie in the operands is checked here. */
  private static void floats(
      SumGather g,
      int from,
      int to,
      long first,
      long last,
      MemorySegment out,
      long offset,
      boolean whole) {
    boolean perArc = g.coefficients().perArc();
    Objects.checkFromToIndex(first, last, g.arcs().arcCapacity());
    Objects.checkFromIndexSize(offset, (to - from) * g.sourceStride(), out.byteSize());
    RawMemory.require(out);
    long target = out.address() + offset;
    if (perArc) {
      Objects.checkFromToIndex(first, last, g.coefficients().values().byteSize() / Float.BYTES);
      SimdSumByArc.rows(g, from, to, first, last, target, whole);
    } else {
      SimdSumBySource.rows(g, from, to, first, last, target, whole);
    }
  }

  private static void half(
      SumGather g, long first, int n, MemorySegment out, long to, float scale, boolean add) {
    if (g.coefficients().perArc()) {
      SimdHalfSum.rowByArc(g, first, n, out, to, scale, add);
    } else {
      SimdHalfSum.rowBySource(g, first, n, out, to, scale, add);
    }
  }
}
