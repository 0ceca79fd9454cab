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
 * Sums of float32 rows of 128 columns, or of a multiple, where registers have 512 bits: else as
 * {@link SimdSumBySource} and {@link SimdSumByArc}, whose bits these are, since columns do not
 * meet.
 *
 * <p>Eight accumulators hold a whole row of 128 columns, so that its arcs are walked once and each
 * source is asked for whole: of 450,000 sources scattered over a gigabyte, a sum of five each took
 * 12.6 ms where two tiles of eight 256-bit vectors took 15.7.
 */
final class SimdWideSum {
  private static final VectorSpecies<Float> F = FloatVector.SPECIES_512;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final long V = F.vectorByteSize();

  /** Bytes that a tile covers of a row. */
  private static final long TILE = 8 * V;

  private static final boolean WIDE =
      FloatVector.SPECIES_PREFERRED.vectorBitSize() >= F.vectorBitSize();

  private SimdWideSum() {}

  /** Whether rows of so many columns are for these loops. */
  static boolean fits(int cols) {
    return WIDE && cols % (TILE / Float.BYTES) == 0;
  }

  /**
   * Rows {@code from} to {@code to} (exclusive), whose arcs begin at {@code first} and end at
   * {@code last}, into rows at an address.
   *
   * @param whole whether rows are finished: else there is one, of some arcs of a hub, that is
   *     neither scaled nor added
   */
  static void rows(
      SumGather g, int from, int to, long first, long last, long target, boolean whole) {
    long stride = g.sourceStride();
    if (stride == TILE) {
      tile(g, from, to, first, last, target, 0, whole);
      return;
    }
    // Tile by tile in a row, so that what one tile has fetched of a source is near for the next.
    long begin = first;
    for (int row = from; row < to; row++) {
      long end = whole ? g.endOf(row, begin, last) : last;
      for (long column = 0; column < stride; column += TILE) {
        tile(g, row, row + 1, begin, end, target + (row - from) * stride, column, whole);
      }
      begin = end;
    }
  }

  private static void tile(
      SumGather g,
      int from,
      int to,
      long first,
      long last,
      long target,
      long column,
      boolean whole) {
    if (g.coefficients().perArc()) {
      byArc(g, from, to, first, last, target, column, whole);
    } else {
      bySource(g, from, to, first, last, target, column, whole);
    }
  }

  private static void bySource(
      SumGather g,
      int from,
      int to,
      long first,
      long last,
      long target,
      long column,
      boolean whole) {
    long ids = g.arcs().ids().address() & ADDRESS;
    long w = g.coefficients().values().address() & ADDRESS;
    long x = (g.x().address() + column) & ADDRESS;
    long stride = g.sourceStride() & STRIDE;
    int sources = g.sources();
    boolean add = whole && g.accumulate();
    long begin = first;
    for (int row = from; row < to; row++) {
      long end = whole ? g.endOf(row, begin, last) : last;
      int n = (int) (end - begin);
      if (n == 0 && add) {
        continue;
      }
      float scale = whole ? g.rowScale(row) : 1;
      long out = (target + (row - from) * stride + column) & ADDRESS;
      long id = (ids + 4 * begin) & ADDRESS;
      FloatVector a0 = FloatVector.zero(F);
      FloatVector a1 = a0;
      FloatVector a2 = a0;
      FloatVector a3 = a0;
      FloatVector a4 = a0;
      FloatVector a5 = a0;
      FloatVector a6 = a0;
      FloatVector a7 = a0;
      for (int i = 0; i < n; i++) {
        int source = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), sources);
        FloatVector v = FloatVector.broadcast(F, ALL.get(JAVA_FLOAT_UNALIGNED, w + 4L * source));
        long at = x + source * stride;
        a0 = v.fma(fromMemorySegment(F, ALL, at, LE), a0);
        a1 = v.fma(fromMemorySegment(F, ALL, at + V, LE), a1);
        a2 = v.fma(fromMemorySegment(F, ALL, at + 2 * V, LE), a2);
        a3 = v.fma(fromMemorySegment(F, ALL, at + 3 * V, LE), a3);
        a4 = v.fma(fromMemorySegment(F, ALL, at + 4 * V, LE), a4);
        a5 = v.fma(fromMemorySegment(F, ALL, at + 5 * V, LE), a5);
        a6 = v.fma(fromMemorySegment(F, ALL, at + 6 * V, LE), a6);
        a7 = v.fma(fromMemorySegment(F, ALL, at + 7 * V, LE), a7);
      }
      FloatVector s = FloatVector.broadcast(F, scale);
      if (add) {
        a0 = s.fma(a0, fromMemorySegment(F, ALL, out, LE));
        a1 = s.fma(a1, fromMemorySegment(F, ALL, out + V, LE));
        a2 = s.fma(a2, fromMemorySegment(F, ALL, out + 2 * V, LE));
        a3 = s.fma(a3, fromMemorySegment(F, ALL, out + 3 * V, LE));
        a4 = s.fma(a4, fromMemorySegment(F, ALL, out + 4 * V, LE));
        a5 = s.fma(a5, fromMemorySegment(F, ALL, out + 5 * V, LE));
        a6 = s.fma(a6, fromMemorySegment(F, ALL, out + 6 * V, LE));
        a7 = s.fma(a7, fromMemorySegment(F, ALL, out + 7 * V, LE));
      } else {
        a0 = s.mul(a0);
        a1 = s.mul(a1);
        a2 = s.mul(a2);
        a3 = s.mul(a3);
        a4 = s.mul(a4);
        a5 = s.mul(a5);
        a6 = s.mul(a6);
        a7 = s.mul(a7);
      }
      a0.intoMemorySegment(ALL, out, LE);
      a1.intoMemorySegment(ALL, out + V, LE);
      a2.intoMemorySegment(ALL, out + 2 * V, LE);
      a3.intoMemorySegment(ALL, out + 3 * V, LE);
      a4.intoMemorySegment(ALL, out + 4 * V, LE);
      a5.intoMemorySegment(ALL, out + 5 * V, LE);
      a6.intoMemorySegment(ALL, out + 6 * V, LE);
      a7.intoMemorySegment(ALL, out + 7 * V, LE);
      begin = end;
    }
  }

  private static void byArc(
      SumGather g,
      int from,
      int to,
      long first,
      long last,
      long target,
      long column,
      boolean whole) {
    long ids = g.arcs().ids().address() & ADDRESS;
    long w = g.coefficients().values().address() & ADDRESS;
    long x = (g.x().address() + column) & ADDRESS;
    long stride = g.sourceStride() & STRIDE;
    int sources = g.sources();
    boolean add = whole && g.accumulate();
    long begin = first;
    for (int row = from; row < to; row++) {
      long end = whole ? g.endOf(row, begin, last) : last;
      int n = (int) (end - begin);
      if (n == 0 && add) {
        continue;
      }
      float scale = whole ? g.rowScale(row) : 1;
      long out = (target + (row - from) * stride + column) & ADDRESS;
      long id = (ids + 4 * begin) & ADDRESS;
      long weight = (w + 4 * begin) & ADDRESS;
      FloatVector a0 = FloatVector.zero(F);
      FloatVector a1 = a0;
      FloatVector a2 = a0;
      FloatVector a3 = a0;
      FloatVector a4 = a0;
      FloatVector a5 = a0;
      FloatVector a6 = a0;
      FloatVector a7 = a0;
      for (int i = 0; i < n; i++) {
        int source = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), sources);
        FloatVector v = FloatVector.broadcast(F, ALL.get(JAVA_FLOAT_UNALIGNED, weight + 4L * i));
        long at = x + source * stride;
        a0 = v.fma(fromMemorySegment(F, ALL, at, LE), a0);
        a1 = v.fma(fromMemorySegment(F, ALL, at + V, LE), a1);
        a2 = v.fma(fromMemorySegment(F, ALL, at + 2 * V, LE), a2);
        a3 = v.fma(fromMemorySegment(F, ALL, at + 3 * V, LE), a3);
        a4 = v.fma(fromMemorySegment(F, ALL, at + 4 * V, LE), a4);
        a5 = v.fma(fromMemorySegment(F, ALL, at + 5 * V, LE), a5);
        a6 = v.fma(fromMemorySegment(F, ALL, at + 6 * V, LE), a6);
        a7 = v.fma(fromMemorySegment(F, ALL, at + 7 * V, LE), a7);
      }
      FloatVector s = FloatVector.broadcast(F, scale);
      if (add) {
        a0 = s.fma(a0, fromMemorySegment(F, ALL, out, LE));
        a1 = s.fma(a1, fromMemorySegment(F, ALL, out + V, LE));
        a2 = s.fma(a2, fromMemorySegment(F, ALL, out + 2 * V, LE));
        a3 = s.fma(a3, fromMemorySegment(F, ALL, out + 3 * V, LE));
        a4 = s.fma(a4, fromMemorySegment(F, ALL, out + 4 * V, LE));
        a5 = s.fma(a5, fromMemorySegment(F, ALL, out + 5 * V, LE));
        a6 = s.fma(a6, fromMemorySegment(F, ALL, out + 6 * V, LE));
        a7 = s.fma(a7, fromMemorySegment(F, ALL, out + 7 * V, LE));
      } else {
        a0 = s.mul(a0);
        a1 = s.mul(a1);
        a2 = s.mul(a2);
        a3 = s.mul(a3);
        a4 = s.mul(a4);
        a5 = s.mul(a5);
        a6 = s.mul(a6);
        a7 = s.mul(a7);
      }
      a0.intoMemorySegment(ALL, out, LE);
      a1.intoMemorySegment(ALL, out + V, LE);
      a2.intoMemorySegment(ALL, out + 2 * V, LE);
      a3.intoMemorySegment(ALL, out + 3 * V, LE);
      a4.intoMemorySegment(ALL, out + 4 * V, LE);
      a5.intoMemorySegment(ALL, out + 5 * V, LE);
      a6.intoMemorySegment(ALL, out + 6 * V, LE);
      a7.intoMemorySegment(ALL, out + 7 * V, LE);
      begin = end;
    }
  }
}
