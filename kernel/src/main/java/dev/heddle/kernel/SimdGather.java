package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Aggregation by the Vector API: which inner loop serves which operands. */
final class SimdGather implements GatherKernels {
  @Override
  public void sum(SumGather g, int from, int to, Matrix out, int outRow) {
    Csr arcs = g.arcs();
    rows(g, from, to, arcs.offset(from), arcs.offset(to), out.data(), out.offset(outRow), true);
  }

  @Override
  public void sumArcs(SumGather g, long from, long to, long partialOffset) {
    rows(g, 0, 1, from, to, g.partials().data(), partialOffset, false);
  }

  @Override
  public void addArcs(SumGather g, long from, long to, MemorySegment sums, long offset) {
    boolean perArc = g.coefficients().perArc();
    Objects.checkFromToIndex(from, to, g.arcs().arcCapacity());
    if (perArc) {
      Objects.checkFromToIndex(from, to, g.coefficients().values().byteSize() / Float.BYTES);
    }
    Objects.checkFromIndexSize(offset, g.sourceStride(), sums.byteSize());
    SimdSumOnward.arcs(g, from, to, sums.address() + offset);
  }

  @Override
  public void finish(SumGather g, int row, MemorySegment sums, long offset) {
    if (g.accumulate() && g.arcs().degree(row) == 0) {
      return;
    }
    Matrix out = g.out();
    Objects.checkIndex(row, out.rows());
    Objects.checkFromIndexSize(offset, g.sourceStride(), sums.byteSize());
    SimdSumOnward.finish(g, row, sums.address() + offset, out.address(row));
  }

  /** The loops read and write addresses: that these lie in the operands is checked here. */
  private static void rows(
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
    Objects.checkFromIndexSize(
        offset, (long) (to - from) * g.out().stride() * Float.BYTES, out.byteSize());
    RawMemory.require(out);
    long target = out.address() + offset;
    if (perArc) {
      Objects.checkFromToIndex(first, last, g.coefficients().values().byteSize() / Float.BYTES);
    }
    if (g.half()) {
      SimdHalfSum.rows(g, from, to, first, last, target, whole);
    } else if (SimdWideSum.fits(g.out().cols())) {
      SimdWideSum.rows(g, from, to, first, last, target, whole);
    } else if (perArc) {
      SimdSumByArc.rows(g, from, to, first, last, target, whole);
    } else {
      SimdSumBySource.rows(g, from, to, first, last, target, whole);
    }
  }
}
