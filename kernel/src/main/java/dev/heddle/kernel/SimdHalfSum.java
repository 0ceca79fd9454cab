package dev.heddle.kernel;

import static dev.heddle.kernel.RawMemory.ADDRESS;
import static dev.heddle.kernel.RawMemory.ALL;
import static dev.heddle.kernel.RawMemory.STRIDE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static jdk.incubator.vector.VectorOperators.LSHL;

import java.nio.ByteOrder;
import java.util.Objects;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Sums of bfloat16 rows, widened on the way into float32 accumulators: a shift and a mask make two
 * vectors of floats from one of ints, see {@link HalfMatrix}. The caller has checked arcs and
 * targets; sources are checked here.
 *
 * <p>Tiles of four vectors of ints are summed in the widest registers there are, of which eight are
 * accumulators: with 512 bits those hold 128 columns, and a source is asked for whole. What is left
 * of a row is summed one narrower vector at a time.
 */
final class SimdHalfSum {
  private static final boolean WIDE = FloatVector.SPECIES_PREFERRED.vectorBitSize() >= 512;
  private static final VectorSpecies<Float> F = WIDE ? FloatVector.SPECIES_512 : Simd.FLOATS;
  private static final VectorSpecies<Integer> I = WIDE ? IntVector.SPECIES_512 : Simd.INTS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final int UPPER = 0xFFFF0000;

  /** Bytes of a vector, of halves in a source as of floats in a target. */
  private static final long V = I.vectorByteSize();

  /** Bytes of a tile's halves; its floats take twice as many. */
  private static final long TILE = 4 * V;

  private static final long FLOATS = 2 * TILE;

  // Where in a tile the floats go that stand in the lower halves of its second and later vectors.
  private static final long OUT1 = floats(V);
  private static final long OUT2 = floats(2 * V);
  private static final long OUT3 = floats(3 * V);

  /** From those to the ones in the upper halves. */
  private static final long APART = (long) HalfMatrix.APART * Float.BYTES;

  private SimdHalfSum() {}

  /** Where the floats of the lower halves go that are so many bytes from the first. */
  private static long floats(long halves) {
    long line = (long) HalfMatrix.GROUP * Short.BYTES;
    return halves / line * 2 * line + halves % line;
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
    long bytes = (long) g.out().stride() * Float.BYTES;
    if (bytes == FLOATS) {
      tile(g, from, to, first, last, target, 0, whole);
      return;
    }
    long begin = first;
    for (int row = from; row < to; row++) {
      long end = whole ? g.endOf(row, begin, last) : last;
      long at = target + (row - from) * bytes;
      long column = 0;
      for (; 2 * (column + TILE) <= bytes; column += TILE) {
        tile(g, row, row + 1, begin, end, at, column, whole);
      }
      for (; floats(column) < bytes; column += Simd.INTS.vectorByteSize()) {
        vector(g, row, begin, end, at, column, whole);
      }
      begin = end;
    }
  }

  /** A tile of some rows, {@code column} bytes of halves from their beginning. */
  private static void tile(
      SumGather g,
      int from,
      int to,
      long first,
      long last,
      long target,
      long column,
      boolean whole) {
    long ids = g.arcs().ids().address() & ADDRESS;
    long weights = g.coefficients().values().address() & ADDRESS;
    long x = (g.x().address() + column) & ADDRESS;
    long stride = g.sourceStride() & STRIDE;
    long bytes = (long) g.out().stride() * Float.BYTES;
    int sources = g.sources();
    int byArc = g.coefficients().perArc() ? -1 : 0;
    boolean add = whole && g.accumulate();
    long begin = first;
    for (int row = from; row < to; row++) {
      long end = whole ? g.endOf(row, begin, last) : last;
      int n = (int) (end - begin);
      if (n == 0 && add) {
        continue;
      }
      FloatVector scale = FloatVector.broadcast(F, whole ? g.rowScale(row) : 1);
      long out = (target + (row - from) * bytes + 2 * column) & ADDRESS;
      long id = (ids + 4 * begin) & ADDRESS;
      // The weight of an arc stands where the arc does, that of a source where the source does.
      long w = (weights + (4 * begin & byArc)) & ADDRESS;
      FloatVector a0 = FloatVector.zero(F);
      FloatVector a1 = a0;
      FloatVector a2 = a0;
      FloatVector a3 = a0;
      FloatVector b0 = a0;
      FloatVector b1 = a0;
      FloatVector b2 = a0;
      FloatVector b3 = a0;
      for (int i = 0; i < n; i++) {
        int source = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), sources);
        int weight = (i & byArc) | (source & ~byArc);
        FloatVector v = FloatVector.broadcast(F, ALL.get(JAVA_FLOAT_UNALIGNED, w + 4L * weight));
        long at = x + source * stride;
        IntVector h0 = IntVector.fromMemorySegment(I, ALL, at, LE);
        IntVector h1 = IntVector.fromMemorySegment(I, ALL, at + V, LE);
        IntVector h2 = IntVector.fromMemorySegment(I, ALL, at + 2 * V, LE);
        IntVector h3 = IntVector.fromMemorySegment(I, ALL, at + 3 * V, LE);
        a0 = v.fma(h0.lanewise(LSHL, 16).reinterpretAsFloats(), a0);
        b0 = v.fma(h0.and(UPPER).reinterpretAsFloats(), b0);
        a1 = v.fma(h1.lanewise(LSHL, 16).reinterpretAsFloats(), a1);
        b1 = v.fma(h1.and(UPPER).reinterpretAsFloats(), b1);
        a2 = v.fma(h2.lanewise(LSHL, 16).reinterpretAsFloats(), a2);
        b2 = v.fma(h2.and(UPPER).reinterpretAsFloats(), b2);
        a3 = v.fma(h3.lanewise(LSHL, 16).reinterpretAsFloats(), a3);
        b3 = v.fma(h3.and(UPPER).reinterpretAsFloats(), b3);
      }
      if (add) {
        a0 = scale.fma(a0, FloatVector.fromMemorySegment(F, ALL, out, LE));
        b0 = scale.fma(b0, FloatVector.fromMemorySegment(F, ALL, out + APART, LE));
        a1 = scale.fma(a1, FloatVector.fromMemorySegment(F, ALL, out + OUT1, LE));
        b1 = scale.fma(b1, FloatVector.fromMemorySegment(F, ALL, out + OUT1 + APART, LE));
        a2 = scale.fma(a2, FloatVector.fromMemorySegment(F, ALL, out + OUT2, LE));
        b2 = scale.fma(b2, FloatVector.fromMemorySegment(F, ALL, out + OUT2 + APART, LE));
        a3 = scale.fma(a3, FloatVector.fromMemorySegment(F, ALL, out + OUT3, LE));
        b3 = scale.fma(b3, FloatVector.fromMemorySegment(F, ALL, out + OUT3 + APART, LE));
      } else {
        a0 = scale.mul(a0);
        b0 = scale.mul(b0);
        a1 = scale.mul(a1);
        b1 = scale.mul(b1);
        a2 = scale.mul(a2);
        b2 = scale.mul(b2);
        a3 = scale.mul(a3);
        b3 = scale.mul(b3);
      }
      a0.intoMemorySegment(ALL, out, LE);
      b0.intoMemorySegment(ALL, out + APART, LE);
      a1.intoMemorySegment(ALL, out + OUT1, LE);
      b1.intoMemorySegment(ALL, out + OUT1 + APART, LE);
      a2.intoMemorySegment(ALL, out + OUT2, LE);
      b2.intoMemorySegment(ALL, out + OUT2 + APART, LE);
      a3.intoMemorySegment(ALL, out + OUT3, LE);
      b3.intoMemorySegment(ALL, out + OUT3 + APART, LE);
      begin = end;
    }
  }

  /** One vector of halves of a row; where the row ends before its second half, only the first. */
  private static void vector(
      SumGather g, int row, long first, long last, long target, long column, boolean whole) {
    VectorSpecies<Float> f = Simd.FLOATS;
    long x = (g.x().address() + column) & ADDRESS;
    long id = (g.arcs().ids().address() + 4 * first) & ADDRESS;
    int byArc = g.coefficients().perArc() ? -1 : 0;
    long w = (g.coefficients().values().address() + (4 * first & byArc)) & ADDRESS;
    long stride = g.sourceStride() & STRIDE;
    int sources = g.sources();
    boolean add = whole && g.accumulate();
    int n = (int) (last - first);
    if (n == 0 && add) {
      return;
    }
    FloatVector a = FloatVector.zero(f);
    FloatVector b = a;
    for (int i = 0; i < n; i++) {
      int source = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), sources);
      int weight = (i & byArc) | (source & ~byArc);
      FloatVector v = FloatVector.broadcast(f, ALL.get(JAVA_FLOAT_UNALIGNED, w + 4L * weight));
      IntVector h = IntVector.fromMemorySegment(Simd.INTS, ALL, x + source * stride, LE);
      a = v.fma(h.lanewise(LSHL, 16).reinterpretAsFloats(), a);
      b = v.fma(h.and(UPPER).reinterpretAsFloats(), b);
    }
    FloatVector scale = FloatVector.broadcast(f, whole ? g.rowScale(row) : 1);
    long to = floats(column);
    long out = (target + to) & ADDRESS;
    write(scale, a, out, add);
    if (to + APART < (long) g.out().stride() * Float.BYTES) {
      write(scale, b, out + APART, add);
    }
  }

  private static void write(FloatVector scale, FloatVector sum, long out, boolean add) {
    FloatVector value =
        add
            ? scale.fma(sum, FloatVector.fromMemorySegment(Simd.FLOATS, ALL, out, LE))
            : scale.mul(sum);
    value.intoMemorySegment(ALL, out, LE);
  }
}
