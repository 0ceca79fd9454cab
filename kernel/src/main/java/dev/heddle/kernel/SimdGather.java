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
    long first = arcs.offset(from);
    long last = arcs.offset(to);
    long stride = (long) out.stride() * Float.BYTES;
    long target = checkHalves(g, first, last, out.data(), out.offset(outRow), (to - from) * stride);
    for (int row = from; row < to; ) {
      int end = bringHalves(g, row, to);
      for (; row < end; row++) {
        long next = g.endOf(row, first, last);
        int n = (int) (next - first);
        if (n > 0 || !g.accumulate()) {
          long at = target + (row - from) * stride;
          half(g, first, n, at, g.rowScale(row), g.accumulate());
        }
        first = next;
      }
    }
  }

  @Override
  public void sumArcs(SumGather g, long from, long to, long partialOffset) {
    MemorySegment partials = g.partials().data();
    if (g.half()) {
      long bytes = (long) g.partials().stride() * Float.BYTES;
      long target = checkHalves(g, from, to, partials, partialOffset, bytes);
      half(g, from, (int) (to - from), target, 1, false);
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
    }
    if (SimdWideSum.fits(g.out().cols())) {
      SimdWideSum.rows(g, from, to, first, last, target, whole);
    } else if (perArc) {
      SimdSumByArc.rows(g, from, to, first, last, target, whole);
    } else {
      SimdSumBySource.rows(g, from, to, first, last, target, whole);
    }
  }

  /** The same for sums of half width; returns the address of the first. */
  private static long checkHalves(
      SumGather g, long first, long last, MemorySegment out, long offset, long bytes) {
    Objects.checkFromToIndex(first, last, g.arcs().arcCapacity());
    if (g.coefficients().perArc()) {
      Objects.checkFromToIndex(first, last, g.coefficients().values().byteSize() / Float.BYTES);
    }
    Objects.checkFromIndexSize(offset, bytes, out.byteSize());
    RawMemory.require(out);
    return out.address() + offset;
  }

  private static void half(SumGather g, long first, int n, long target, float scale, boolean add) {
    if (g.coefficients().perArc()) {
      SimdHalfSum.rowByArc(g, first, n, target, scale, add);
    } else {
      SimdHalfSum.rowBySource(g, first, n, target, scale, add);
    }
  }
}
