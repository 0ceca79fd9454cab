package dev.heddle.kernel;

import static dev.heddle.kernel.RawMemory.ADDRESS;
import static dev.heddle.kernel.RawMemory.ALL;
import static dev.heddle.kernel.RawMemory.STRIDE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import java.nio.ByteOrder;
import java.util.Objects;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Sums of float32 rows that are made some arcs at a time, by the Vector API: accumulators wait in
 * memory for the next arcs. Fused multiply-adds in the order of {@link SimdSumBySource}, so that
 * the bits are the same however arcs are cut. Sources come from a disk meanwhile, which takes
 * longer than any loop: one tile of four vectors serves all widths.
 */
final class SimdSumOnward {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final long V = F.vectorByteSize();

  private SimdSumOnward() {}

  /** Adds arcs {@code from} to {@code to} (exclusive) to the sum at an address. */
  static void arcs(SumGather g, long from, long to, long sum) {
    int vectors = Simd.vectors(g.out().cols());
    int c = 0;
    for (; c + 4 <= vectors; c += 4) {
      tile4(g, from, to, sum, c * V);
    }
    for (; c < vectors; c++) {
      tile1(g, from, to, sum, c * V);
    }
  }

  private static void tile4(SumGather g, long from, long to, long sum, long column) {
    boolean perArc = g.coefficients().perArc();
    long id = (g.arcs().ids().address() + 4 * from) & ADDRESS;
    long values = g.coefficients().values().address();
    long w = (perArc ? values + 4 * from : values) & ADDRESS;
    long x = (g.x().address() + column) & ADDRESS;
    long at = (sum + column) & ADDRESS;
    long stride = g.sourceStride() & STRIDE;
    int sources = g.sources();
    int n = (int) (to - from);
    FloatVector a0 = fromMemorySegment(F, ALL, at, LE);
    FloatVector a1 = fromMemorySegment(F, ALL, at + V, LE);
    FloatVector a2 = fromMemorySegment(F, ALL, at + 2 * V, LE);
    FloatVector a3 = fromMemorySegment(F, ALL, at + 3 * V, LE);
    for (int i = 0; i < n; i++) {
      int source = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), sources);
      long place = w + 4L * (perArc ? i : source);
      FloatVector v = FloatVector.broadcast(F, ALL.get(JAVA_FLOAT_UNALIGNED, place));
      long row = x + source * stride;
      a0 = v.fma(fromMemorySegment(F, ALL, row, LE), a0);
      a1 = v.fma(fromMemorySegment(F, ALL, row + V, LE), a1);
      a2 = v.fma(fromMemorySegment(F, ALL, row + 2 * V, LE), a2);
      a3 = v.fma(fromMemorySegment(F, ALL, row + 3 * V, LE), a3);
    }
    a0.intoMemorySegment(ALL, at, LE);
    a1.intoMemorySegment(ALL, at + V, LE);
    a2.intoMemorySegment(ALL, at + 2 * V, LE);
    a3.intoMemorySegment(ALL, at + 3 * V, LE);
  }

  private static void tile1(SumGather g, long from, long to, long sum, long column) {
    boolean perArc = g.coefficients().perArc();
    long id = (g.arcs().ids().address() + 4 * from) & ADDRESS;
    long values = g.coefficients().values().address();
    long w = (perArc ? values + 4 * from : values) & ADDRESS;
    long x = (g.x().address() + column) & ADDRESS;
    long at = (sum + column) & ADDRESS;
    long stride = g.sourceStride() & STRIDE;
    int sources = g.sources();
    int n = (int) (to - from);
    FloatVector a = fromMemorySegment(F, ALL, at, LE);
    for (int i = 0; i < n; i++) {
      int source = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), sources);
      long place = w + 4L * (perArc ? i : source);
      FloatVector v = FloatVector.broadcast(F, ALL.get(JAVA_FLOAT_UNALIGNED, place));
      a = v.fma(fromMemorySegment(F, ALL, x + source * stride, LE), a);
    }
    a.intoMemorySegment(ALL, at, LE);
  }

  /** Scales a whole sum into the row at an address, or adds it to that. */
  static void finish(SumGather g, int row, long sum, long out) {
    FloatVector s = FloatVector.broadcast(F, g.rowScale(row));
    boolean add = g.accumulate();
    int vectors = Simd.vectors(g.out().cols());
    long from = sum & ADDRESS;
    long to = out & ADDRESS;
    for (int c = 0; c < vectors; c++) {
      FloatVector a = fromMemorySegment(F, ALL, from + c * V, LE);
      FloatVector made = add ? s.fma(a, fromMemorySegment(F, ALL, to + c * V, LE)) : s.mul(a);
      made.intoMemorySegment(ALL, to + c * V, LE);
    }
  }
}
