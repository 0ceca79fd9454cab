package dev.heddle.kernel;

import static dev.heddle.kernel.RawMemory.ADDRESS;
import static dev.heddle.kernel.RawMemory.ALL;
import static dev.heddle.kernel.RawMemory.STRIDE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;
import static jdk.incubator.vector.VectorOperators.LSHL;

import java.nio.ByteOrder;
import java.util.Objects;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorOperators.Conversion;
import jdk.incubator.vector.VectorSpecies;

/**
 * Sums of bfloat16 rows of 128 columns, or of a multiple, where registers have 512 bits: else as
 * {@link SimdHalfSum}, whose bits these are, since columns do not meet. Whole rows in one loop need
 * nobody to bring them ahead, and took 9.7 ms where those took 11.3; see {@link SimdWideSum}.
 */
final class SimdWideHalfSum {
  private static final VectorSpecies<Float> F = FloatVector.SPECIES_512;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final VectorSpecies<Short> S = ShortVector.SPECIES_256;
  private static final VectorSpecies<Integer> I = IntVector.SPECIES_512;
  private static final long V = F.vectorByteSize();
  private static final long H = S.vectorByteSize();

  /** A bfloat16 is the upper half of a float: widened, it is shifted there. */
  private static final Conversion<Short, Integer> WIDEN = VectorOperators.ZERO_EXTEND_S2I;

  /** Bytes that a tile writes of a row; it reads half as many of each source. */
  private static final long TILE = 8 * V;

  private SimdWideHalfSum() {}

  /** Whether rows of so many columns are for these loops. */
  static boolean fits(int cols) {
    return SimdWideSum.fits(cols);
  }

  /**
   * Rows {@code from} to {@code to} (exclusive), whose arcs begin at {@code first} and end at
   * {@code last}, into rows at an address.
   */
  static void rows(SumGather g, int from, int to, long first, long last, long target) {
    long stride = 2 * g.sourceStride();
    if (stride == TILE) {
      tile(g, from, to, first, last, target, 0);
      return;
    }
    // Tile by tile in a row, so that what one tile has fetched of a source is near for the next.
    long begin = first;
    for (int row = from; row < to; row++) {
      long end = g.endOf(row, begin, last);
      for (long column = 0; column < stride; column += TILE) {
        tile(g, row, row + 1, begin, end, target + (row - from) * stride, column);
      }
      begin = end;
    }
  }

  private static void tile(
      SumGather g, int from, int to, long first, long last, long target, long column) {
    if (g.coefficients().perArc()) {
      byArc(g, from, to, first, last, target, column);
    } else {
      bySource(g, from, to, first, last, target, column);
    }
  }

  private static void bySource(
      SumGather g, int from, int to, long first, long last, long target, long column) {
    long ids = g.arcs().ids().address() & ADDRESS;
    long w = g.coefficients().values().address() & ADDRESS;
    long x = (g.x().address() + column / 2) & ADDRESS;
    long stride = g.sourceStride() & STRIDE;
    int sources = g.sources();
    boolean add = g.accumulate();
    long begin = first;
    for (int row = from; row < to; row++) {
      long end = g.endOf(row, begin, last);
      int n = (int) (end - begin);
      float scale = g.rowScale(row);
      long out = (target + (row - from) * (2 * stride) + column) & ADDRESS;
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
        var h0 = ShortVector.fromMemorySegment(S, ALL, at, LE).convertShape(WIDEN, I, 0);
        a0 = v.fma(h0.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a0);
        var h1 = ShortVector.fromMemorySegment(S, ALL, at + H, LE).convertShape(WIDEN, I, 0);
        a1 = v.fma(h1.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a1);
        var h2 = ShortVector.fromMemorySegment(S, ALL, at + 2 * H, LE).convertShape(WIDEN, I, 0);
        a2 = v.fma(h2.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a2);
        var h3 = ShortVector.fromMemorySegment(S, ALL, at + 3 * H, LE).convertShape(WIDEN, I, 0);
        a3 = v.fma(h3.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a3);
        var h4 = ShortVector.fromMemorySegment(S, ALL, at + 4 * H, LE).convertShape(WIDEN, I, 0);
        a4 = v.fma(h4.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a4);
        var h5 = ShortVector.fromMemorySegment(S, ALL, at + 5 * H, LE).convertShape(WIDEN, I, 0);
        a5 = v.fma(h5.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a5);
        var h6 = ShortVector.fromMemorySegment(S, ALL, at + 6 * H, LE).convertShape(WIDEN, I, 0);
        a6 = v.fma(h6.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a6);
        var h7 = ShortVector.fromMemorySegment(S, ALL, at + 7 * H, LE).convertShape(WIDEN, I, 0);
        a7 = v.fma(h7.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a7);
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
      SumGather g, int from, int to, long first, long last, long target, long column) {
    long ids = g.arcs().ids().address() & ADDRESS;
    long w = g.coefficients().values().address() & ADDRESS;
    long x = (g.x().address() + column / 2) & ADDRESS;
    long stride = g.sourceStride() & STRIDE;
    int sources = g.sources();
    boolean add = g.accumulate();
    long begin = first;
    for (int row = from; row < to; row++) {
      long end = g.endOf(row, begin, last);
      int n = (int) (end - begin);
      float scale = g.rowScale(row);
      long out = (target + (row - from) * (2 * stride) + column) & ADDRESS;
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
        var h0 = ShortVector.fromMemorySegment(S, ALL, at, LE).convertShape(WIDEN, I, 0);
        a0 = v.fma(h0.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a0);
        var h1 = ShortVector.fromMemorySegment(S, ALL, at + H, LE).convertShape(WIDEN, I, 0);
        a1 = v.fma(h1.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a1);
        var h2 = ShortVector.fromMemorySegment(S, ALL, at + 2 * H, LE).convertShape(WIDEN, I, 0);
        a2 = v.fma(h2.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a2);
        var h3 = ShortVector.fromMemorySegment(S, ALL, at + 3 * H, LE).convertShape(WIDEN, I, 0);
        a3 = v.fma(h3.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a3);
        var h4 = ShortVector.fromMemorySegment(S, ALL, at + 4 * H, LE).convertShape(WIDEN, I, 0);
        a4 = v.fma(h4.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a4);
        var h5 = ShortVector.fromMemorySegment(S, ALL, at + 5 * H, LE).convertShape(WIDEN, I, 0);
        a5 = v.fma(h5.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a5);
        var h6 = ShortVector.fromMemorySegment(S, ALL, at + 6 * H, LE).convertShape(WIDEN, I, 0);
        a6 = v.fma(h6.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a6);
        var h7 = ShortVector.fromMemorySegment(S, ALL, at + 7 * H, LE).convertShape(WIDEN, I, 0);
        a7 = v.fma(h7.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a7);
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
