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
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorOperators.Conversion;
import jdk.incubator.vector.VectorSpecies;

/**
 * Sums of bfloat16 rows, widened on the way into float32 accumulators; else as {@link
 * SimdSumBySource}. The caller has checked arcs and targets; sources are checked here.
 */
final class SimdHalfSum {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final VectorSpecies<Short> S = Simd.SHORTS;
  private static final VectorSpecies<Integer> I = Simd.INTS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final long V = F.vectorByteSize();
  private static final long H = S.vectorByteSize();

  /** A bfloat16 is the upper half of a float: widened, it is shifted there. */
  private static final Conversion<Short, Integer> WIDEN = VectorOperators.ZERO_EXTEND_S2I;

  private SimdHalfSum() {}

  static void rowBySource(SumGather g, long first, int n, long out, float scale, boolean add) {
    int vectors = Simd.vectors(g.out().cols());
    int c = 0;
    for (; c + 8 <= vectors; c += 8) {
      bySource8(g, first, n, out + c * V, c * H, scale, add);
    }
    for (; c + 2 <= vectors; c += 2) {
      bySource2(g, first, n, out + c * V, c * H, scale, add);
    }
    if (c < vectors) {
      bySource1(g, first, n, out + c * V, c * H, scale, add);
    }
  }

  static void rowByArc(SumGather g, long first, int n, long out, float scale, boolean add) {
    int vectors = Simd.vectors(g.out().cols());
    int c = 0;
    for (; c + 8 <= vectors; c += 8) {
      byArc8(g, first, n, out + c * V, c * H, scale, add);
    }
    for (; c + 2 <= vectors; c += 2) {
      byArc2(g, first, n, out + c * V, c * H, scale, add);
    }
    if (c < vectors) {
      byArc1(g, first, n, out + c * V, c * H, scale, add);
    }
  }

  private static void bySource8(
      SumGather g, long first, int n, long target, long column, float scale, boolean add) {
    long x = (g.x().address() + column) & ADDRESS;
    long id = (g.arcs().ids().address() + 4 * first) & ADDRESS;
    long w = g.coefficients().values().address() & ADDRESS;
    long out = target & ADDRESS;
    long stride = g.sourceStride() & STRIDE;
    int sources = g.sources();
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
      s.fma(a0, fromMemorySegment(F, ALL, out, LE)).intoMemorySegment(ALL, out, LE);
      s.fma(a1, fromMemorySegment(F, ALL, out + V, LE)).intoMemorySegment(ALL, out + V, LE);
      s.fma(a2, fromMemorySegment(F, ALL, out + 2 * V, LE)).intoMemorySegment(ALL, out + 2 * V, LE);
      s.fma(a3, fromMemorySegment(F, ALL, out + 3 * V, LE)).intoMemorySegment(ALL, out + 3 * V, LE);
      s.fma(a4, fromMemorySegment(F, ALL, out + 4 * V, LE)).intoMemorySegment(ALL, out + 4 * V, LE);
      s.fma(a5, fromMemorySegment(F, ALL, out + 5 * V, LE)).intoMemorySegment(ALL, out + 5 * V, LE);
      s.fma(a6, fromMemorySegment(F, ALL, out + 6 * V, LE)).intoMemorySegment(ALL, out + 6 * V, LE);
      s.fma(a7, fromMemorySegment(F, ALL, out + 7 * V, LE)).intoMemorySegment(ALL, out + 7 * V, LE);
      return;
    }
    s.mul(a0).intoMemorySegment(ALL, out, LE);
    s.mul(a1).intoMemorySegment(ALL, out + V, LE);
    s.mul(a2).intoMemorySegment(ALL, out + 2 * V, LE);
    s.mul(a3).intoMemorySegment(ALL, out + 3 * V, LE);
    s.mul(a4).intoMemorySegment(ALL, out + 4 * V, LE);
    s.mul(a5).intoMemorySegment(ALL, out + 5 * V, LE);
    s.mul(a6).intoMemorySegment(ALL, out + 6 * V, LE);
    s.mul(a7).intoMemorySegment(ALL, out + 7 * V, LE);
  }

  private static void bySource2(
      SumGather g, long first, int n, long target, long column, float scale, boolean add) {
    long x = (g.x().address() + column) & ADDRESS;
    long id = (g.arcs().ids().address() + 4 * first) & ADDRESS;
    long w = g.coefficients().values().address() & ADDRESS;
    long out = target & ADDRESS;
    long stride = g.sourceStride() & STRIDE;
    int sources = g.sources();
    FloatVector a0 = FloatVector.zero(F);
    FloatVector a1 = a0;
    for (int i = 0; i < n; i++) {
      int source = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), sources);
      FloatVector v = FloatVector.broadcast(F, ALL.get(JAVA_FLOAT_UNALIGNED, w + 4L * source));
      long at = x + source * stride;
      var h0 = ShortVector.fromMemorySegment(S, ALL, at, LE).convertShape(WIDEN, I, 0);
      a0 = v.fma(h0.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a0);
      var h1 = ShortVector.fromMemorySegment(S, ALL, at + H, LE).convertShape(WIDEN, I, 0);
      a1 = v.fma(h1.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a1);
    }
    FloatVector s = FloatVector.broadcast(F, scale);
    if (add) {
      s.fma(a0, fromMemorySegment(F, ALL, out, LE)).intoMemorySegment(ALL, out, LE);
      s.fma(a1, fromMemorySegment(F, ALL, out + V, LE)).intoMemorySegment(ALL, out + V, LE);
      return;
    }
    s.mul(a0).intoMemorySegment(ALL, out, LE);
    s.mul(a1).intoMemorySegment(ALL, out + V, LE);
  }

  private static void bySource1(
      SumGather g, long first, int n, long target, long column, float scale, boolean add) {
    long x = (g.x().address() + column) & ADDRESS;
    long id = (g.arcs().ids().address() + 4 * first) & ADDRESS;
    long w = g.coefficients().values().address() & ADDRESS;
    long out = target & ADDRESS;
    long stride = g.sourceStride() & STRIDE;
    int sources = g.sources();
    FloatVector a0 = FloatVector.zero(F);
    for (int i = 0; i < n; i++) {
      int source = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), sources);
      FloatVector v = FloatVector.broadcast(F, ALL.get(JAVA_FLOAT_UNALIGNED, w + 4L * source));
      long at = x + source * stride;
      var h0 = ShortVector.fromMemorySegment(S, ALL, at, LE).convertShape(WIDEN, I, 0);
      a0 = v.fma(h0.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a0);
    }
    FloatVector s = FloatVector.broadcast(F, scale);
    if (add) {
      s.fma(a0, fromMemorySegment(F, ALL, out, LE)).intoMemorySegment(ALL, out, LE);
      return;
    }
    s.mul(a0).intoMemorySegment(ALL, out, LE);
  }

  private static void byArc8(
      SumGather g, long first, int n, long target, long column, float scale, boolean add) {
    long x = (g.x().address() + column) & ADDRESS;
    long id = (g.arcs().ids().address() + 4 * first) & ADDRESS;
    long w = (g.coefficients().values().address() + 4 * first) & ADDRESS;
    long out = target & ADDRESS;
    long stride = g.sourceStride() & STRIDE;
    int sources = g.sources();
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
      FloatVector v = FloatVector.broadcast(F, ALL.get(JAVA_FLOAT_UNALIGNED, w + 4L * i));
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
      s.fma(a0, fromMemorySegment(F, ALL, out, LE)).intoMemorySegment(ALL, out, LE);
      s.fma(a1, fromMemorySegment(F, ALL, out + V, LE)).intoMemorySegment(ALL, out + V, LE);
      s.fma(a2, fromMemorySegment(F, ALL, out + 2 * V, LE)).intoMemorySegment(ALL, out + 2 * V, LE);
      s.fma(a3, fromMemorySegment(F, ALL, out + 3 * V, LE)).intoMemorySegment(ALL, out + 3 * V, LE);
      s.fma(a4, fromMemorySegment(F, ALL, out + 4 * V, LE)).intoMemorySegment(ALL, out + 4 * V, LE);
      s.fma(a5, fromMemorySegment(F, ALL, out + 5 * V, LE)).intoMemorySegment(ALL, out + 5 * V, LE);
      s.fma(a6, fromMemorySegment(F, ALL, out + 6 * V, LE)).intoMemorySegment(ALL, out + 6 * V, LE);
      s.fma(a7, fromMemorySegment(F, ALL, out + 7 * V, LE)).intoMemorySegment(ALL, out + 7 * V, LE);
      return;
    }
    s.mul(a0).intoMemorySegment(ALL, out, LE);
    s.mul(a1).intoMemorySegment(ALL, out + V, LE);
    s.mul(a2).intoMemorySegment(ALL, out + 2 * V, LE);
    s.mul(a3).intoMemorySegment(ALL, out + 3 * V, LE);
    s.mul(a4).intoMemorySegment(ALL, out + 4 * V, LE);
    s.mul(a5).intoMemorySegment(ALL, out + 5 * V, LE);
    s.mul(a6).intoMemorySegment(ALL, out + 6 * V, LE);
    s.mul(a7).intoMemorySegment(ALL, out + 7 * V, LE);
  }

  private static void byArc2(
      SumGather g, long first, int n, long target, long column, float scale, boolean add) {
    long x = (g.x().address() + column) & ADDRESS;
    long id = (g.arcs().ids().address() + 4 * first) & ADDRESS;
    long w = (g.coefficients().values().address() + 4 * first) & ADDRESS;
    long out = target & ADDRESS;
    long stride = g.sourceStride() & STRIDE;
    int sources = g.sources();
    FloatVector a0 = FloatVector.zero(F);
    FloatVector a1 = a0;
    for (int i = 0; i < n; i++) {
      int source = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), sources);
      FloatVector v = FloatVector.broadcast(F, ALL.get(JAVA_FLOAT_UNALIGNED, w + 4L * i));
      long at = x + source * stride;
      var h0 = ShortVector.fromMemorySegment(S, ALL, at, LE).convertShape(WIDEN, I, 0);
      a0 = v.fma(h0.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a0);
      var h1 = ShortVector.fromMemorySegment(S, ALL, at + H, LE).convertShape(WIDEN, I, 0);
      a1 = v.fma(h1.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a1);
    }
    FloatVector s = FloatVector.broadcast(F, scale);
    if (add) {
      s.fma(a0, fromMemorySegment(F, ALL, out, LE)).intoMemorySegment(ALL, out, LE);
      s.fma(a1, fromMemorySegment(F, ALL, out + V, LE)).intoMemorySegment(ALL, out + V, LE);
      return;
    }
    s.mul(a0).intoMemorySegment(ALL, out, LE);
    s.mul(a1).intoMemorySegment(ALL, out + V, LE);
  }

  private static void byArc1(
      SumGather g, long first, int n, long target, long column, float scale, boolean add) {
    long x = (g.x().address() + column) & ADDRESS;
    long id = (g.arcs().ids().address() + 4 * first) & ADDRESS;
    long w = (g.coefficients().values().address() + 4 * first) & ADDRESS;
    long out = target & ADDRESS;
    long stride = g.sourceStride() & STRIDE;
    int sources = g.sources();
    FloatVector a0 = FloatVector.zero(F);
    for (int i = 0; i < n; i++) {
      int source = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), sources);
      FloatVector v = FloatVector.broadcast(F, ALL.get(JAVA_FLOAT_UNALIGNED, w + 4L * i));
      long at = x + source * stride;
      var h0 = ShortVector.fromMemorySegment(S, ALL, at, LE).convertShape(WIDEN, I, 0);
      a0 = v.fma(h0.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a0);
    }
    FloatVector s = FloatVector.broadcast(F, scale);
    if (add) {
      s.fma(a0, fromMemorySegment(F, ALL, out, LE)).intoMemorySegment(ALL, out, LE);
      return;
    }
    s.mul(a0).intoMemorySegment(ALL, out, LE);
  }
}
