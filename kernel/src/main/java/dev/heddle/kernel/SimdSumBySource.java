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
 * Sums of float32 rows, each times a coefficient of its source, by the Vector API.
 *
 * <p>A row's columns, in whole vectors, are taken in tiles of eight, six, five, four, two and one
 * vectors, each tile walking the arcs with its accumulators in registers: 64 floats a tile was 1.3
 * times faster than 32, and 40 columns in one tile of five vectors faster than in tiles of four and
 * one. The broadcast coefficient is the receiver of the FMA so that the load folds into it. The two
 * kinds of coefficients have loops of their own (the other is {@link SimdSumByArc}): one loop for
 * both needs more registers than there are, and was 1.6 times slower. Padding makes whole vectors
 * safe at the end of a row.
 *
 * <p>Loads are from {@link RawMemory}, with one check per arc (its source) instead of one per
 * vector: at 40 columns a loop took 172 ms without the latter and 227 with them. A tile that covers
 * the row goes from row to row by itself, which spares calls but was within the noise. While
 * vectors are at hand a tile calls nothing but the Vector API: in methods of their size the
 * compiler may inline no others, and a vector that is passed to one is an object.
 */
final class SimdSumBySource {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final long V = F.vectorByteSize();

  private SimdSumBySource() {}

  /**
   * Rows {@code from} to {@code to} (exclusive), whose arcs begin at {@code first} and end at
   * {@code last}, into rows at an address.
   *
   * @param whole whether rows are finished: else there is one, of some arcs of a hub, that is
   *     neither scaled nor added
   */
  static void rows(
      SumGather g, int from, int to, long first, long last, long target, boolean whole) {
    int vectors = Simd.vectors(g.out().cols());
    if (vectors == 1 || vectors == 2 || (vectors >= 4 && vectors <= 6) || vectors == 8) {
      tiles(g, from, to, first, last, target, whole, vectors);
      return;
    }
    // Tile by tile in a row, so that what one tile has fetched of a source is near for the next.
    long stride = g.sourceStride();
    long begin = first;
    for (int row = from; row < to; row++) {
      long end = whole ? g.endOf(row, begin, last) : last;
      tiles(g, row, row + 1, begin, end, target + (row - from) * stride, whole, vectors);
      begin = end;
    }
  }

  private static void tiles(
      SumGather g,
      int from,
      int to,
      long first,
      long last,
      long target,
      boolean whole,
      int vectors) {
    int c = 0;
    for (; c + 8 <= vectors; c += 8) {
      tile8(g, from, to, first, last, target, c * V, whole);
    }
    if (c + 6 <= vectors) {
      tile6(g, from, to, first, last, target, c * V, whole);
      c += 6;
    } else if (c + 5 <= vectors) {
      tile5(g, from, to, first, last, target, c * V, whole);
      c += 5;
    } else if (c + 4 <= vectors) {
      tile4(g, from, to, first, last, target, c * V, whole);
      c += 4;
    }
    if (c + 2 <= vectors) {
      tile2(g, from, to, first, last, target, c * V, whole);
      c += 2;
    }
    if (c < vectors) {
      tile1(g, from, to, first, last, target, c * V, whole);
    }
  }

  private static void tile8(
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

  private static void tile6(
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
      }
      FloatVector s = FloatVector.broadcast(F, scale);
      if (add) {
        a0 = s.fma(a0, fromMemorySegment(F, ALL, out, LE));
        a1 = s.fma(a1, fromMemorySegment(F, ALL, out + V, LE));
        a2 = s.fma(a2, fromMemorySegment(F, ALL, out + 2 * V, LE));
        a3 = s.fma(a3, fromMemorySegment(F, ALL, out + 3 * V, LE));
        a4 = s.fma(a4, fromMemorySegment(F, ALL, out + 4 * V, LE));
        a5 = s.fma(a5, fromMemorySegment(F, ALL, out + 5 * V, LE));
      } else {
        a0 = s.mul(a0);
        a1 = s.mul(a1);
        a2 = s.mul(a2);
        a3 = s.mul(a3);
        a4 = s.mul(a4);
        a5 = s.mul(a5);
      }
      a0.intoMemorySegment(ALL, out, LE);
      a1.intoMemorySegment(ALL, out + V, LE);
      a2.intoMemorySegment(ALL, out + 2 * V, LE);
      a3.intoMemorySegment(ALL, out + 3 * V, LE);
      a4.intoMemorySegment(ALL, out + 4 * V, LE);
      a5.intoMemorySegment(ALL, out + 5 * V, LE);
      begin = end;
    }
  }

  private static void tile5(
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
      for (int i = 0; i < n; i++) {
        int source = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), sources);
        FloatVector v = FloatVector.broadcast(F, ALL.get(JAVA_FLOAT_UNALIGNED, w + 4L * source));
        long at = x + source * stride;
        a0 = v.fma(fromMemorySegment(F, ALL, at, LE), a0);
        a1 = v.fma(fromMemorySegment(F, ALL, at + V, LE), a1);
        a2 = v.fma(fromMemorySegment(F, ALL, at + 2 * V, LE), a2);
        a3 = v.fma(fromMemorySegment(F, ALL, at + 3 * V, LE), a3);
        a4 = v.fma(fromMemorySegment(F, ALL, at + 4 * V, LE), a4);
      }
      FloatVector s = FloatVector.broadcast(F, scale);
      if (add) {
        a0 = s.fma(a0, fromMemorySegment(F, ALL, out, LE));
        a1 = s.fma(a1, fromMemorySegment(F, ALL, out + V, LE));
        a2 = s.fma(a2, fromMemorySegment(F, ALL, out + 2 * V, LE));
        a3 = s.fma(a3, fromMemorySegment(F, ALL, out + 3 * V, LE));
        a4 = s.fma(a4, fromMemorySegment(F, ALL, out + 4 * V, LE));
      } else {
        a0 = s.mul(a0);
        a1 = s.mul(a1);
        a2 = s.mul(a2);
        a3 = s.mul(a3);
        a4 = s.mul(a4);
      }
      a0.intoMemorySegment(ALL, out, LE);
      a1.intoMemorySegment(ALL, out + V, LE);
      a2.intoMemorySegment(ALL, out + 2 * V, LE);
      a3.intoMemorySegment(ALL, out + 3 * V, LE);
      a4.intoMemorySegment(ALL, out + 4 * V, LE);
      begin = end;
    }
  }

  private static void tile4(
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
      for (int i = 0; i < n; i++) {
        int source = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), sources);
        FloatVector v = FloatVector.broadcast(F, ALL.get(JAVA_FLOAT_UNALIGNED, w + 4L * source));
        long at = x + source * stride;
        a0 = v.fma(fromMemorySegment(F, ALL, at, LE), a0);
        a1 = v.fma(fromMemorySegment(F, ALL, at + V, LE), a1);
        a2 = v.fma(fromMemorySegment(F, ALL, at + 2 * V, LE), a2);
        a3 = v.fma(fromMemorySegment(F, ALL, at + 3 * V, LE), a3);
      }
      FloatVector s = FloatVector.broadcast(F, scale);
      if (add) {
        a0 = s.fma(a0, fromMemorySegment(F, ALL, out, LE));
        a1 = s.fma(a1, fromMemorySegment(F, ALL, out + V, LE));
        a2 = s.fma(a2, fromMemorySegment(F, ALL, out + 2 * V, LE));
        a3 = s.fma(a3, fromMemorySegment(F, ALL, out + 3 * V, LE));
      } else {
        a0 = s.mul(a0);
        a1 = s.mul(a1);
        a2 = s.mul(a2);
        a3 = s.mul(a3);
      }
      a0.intoMemorySegment(ALL, out, LE);
      a1.intoMemorySegment(ALL, out + V, LE);
      a2.intoMemorySegment(ALL, out + 2 * V, LE);
      a3.intoMemorySegment(ALL, out + 3 * V, LE);
      begin = end;
    }
  }

  private static void tile2(
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
      for (int i = 0; i < n; i++) {
        int source = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), sources);
        FloatVector v = FloatVector.broadcast(F, ALL.get(JAVA_FLOAT_UNALIGNED, w + 4L * source));
        long at = x + source * stride;
        a0 = v.fma(fromMemorySegment(F, ALL, at, LE), a0);
        a1 = v.fma(fromMemorySegment(F, ALL, at + V, LE), a1);
      }
      FloatVector s = FloatVector.broadcast(F, scale);
      if (add) {
        a0 = s.fma(a0, fromMemorySegment(F, ALL, out, LE));
        a1 = s.fma(a1, fromMemorySegment(F, ALL, out + V, LE));
      } else {
        a0 = s.mul(a0);
        a1 = s.mul(a1);
      }
      a0.intoMemorySegment(ALL, out, LE);
      a1.intoMemorySegment(ALL, out + V, LE);
      begin = end;
    }
  }

  private static void tile1(
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
      for (int i = 0; i < n; i++) {
        int source = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), sources);
        FloatVector v = FloatVector.broadcast(F, ALL.get(JAVA_FLOAT_UNALIGNED, w + 4L * source));
        long at = x + source * stride;
        a0 = v.fma(fromMemorySegment(F, ALL, at, LE), a0);
      }
      FloatVector s = FloatVector.broadcast(F, scale);
      if (add) {
        a0 = s.fma(a0, fromMemorySegment(F, ALL, out, LE));
      } else {
        a0 = s.mul(a0);
      }
      a0.intoMemorySegment(ALL, out, LE);
      begin = end;
    }
  }
}
