package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;
import static jdk.incubator.vector.VectorOperators.LSHL;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorOperators.Conversion;
import jdk.incubator.vector.VectorSpecies;

/**
 * Sums of bfloat16 rows, widened on the way into float32 accumulators; else as {@link
 * SimdSumBySource}.
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

  static void rowBySource(
      SumGather g, long first, int n, MemorySegment out, long to, float scale, boolean add) {
    int vectors = Simd.vectors(g.out().cols());
    int c = 0;
    for (; c + 8 <= vectors; c += 8) {
      bySource8(g, first, n, out, to + c * V, c * H, scale, add);
    }
    for (; c + 2 <= vectors; c += 2) {
      bySource2(g, first, n, out, to + c * V, c * H, scale, add);
    }
    if (c < vectors) {
      bySource1(g, first, n, out, to + c * V, c * H, scale, add);
    }
  }

  static void rowByArc(
      SumGather g, long first, int n, MemorySegment out, long to, float scale, boolean add) {
    int vectors = Simd.vectors(g.out().cols());
    int c = 0;
    for (; c + 8 <= vectors; c += 8) {
      byArc8(g, first, n, out, to + c * V, c * H, scale, add);
    }
    for (; c + 2 <= vectors; c += 2) {
      byArc2(g, first, n, out, to + c * V, c * H, scale, add);
    }
    if (c < vectors) {
      byArc1(g, first, n, out, to + c * V, c * H, scale, add);
    }
  }

  private static void bySource8(
      SumGather g,
      long first,
      int n,
      MemorySegment out,
      long to,
      long column,
      float scale,
      boolean add) {
    MemorySegment x = g.x();
    MemorySegment ids = g.arcs().ids();
    MemorySegment w = g.coefficients().values();
    long stride = g.sourceStride();
    FloatVector a0 = FloatVector.zero(F);
    FloatVector a1 = a0;
    FloatVector a2 = a0;
    FloatVector a3 = a0;
    FloatVector a4 = a0;
    FloatVector a5 = a0;
    FloatVector a6 = a0;
    FloatVector a7 = a0;
    for (int i = 0; i < n; i++) {
      int source = ids.getAtIndex(JAVA_INT, first + i);
      FloatVector v = FloatVector.broadcast(F, w.getAtIndex(JAVA_FLOAT, source));
      long at = source * stride + column;
      var h0 = ShortVector.fromMemorySegment(S, x, at, LE).convertShape(WIDEN, I, 0);
      a0 = v.fma(h0.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a0);
      var h1 = ShortVector.fromMemorySegment(S, x, at + H, LE).convertShape(WIDEN, I, 0);
      a1 = v.fma(h1.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a1);
      var h2 = ShortVector.fromMemorySegment(S, x, at + 2 * H, LE).convertShape(WIDEN, I, 0);
      a2 = v.fma(h2.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a2);
      var h3 = ShortVector.fromMemorySegment(S, x, at + 3 * H, LE).convertShape(WIDEN, I, 0);
      a3 = v.fma(h3.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a3);
      var h4 = ShortVector.fromMemorySegment(S, x, at + 4 * H, LE).convertShape(WIDEN, I, 0);
      a4 = v.fma(h4.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a4);
      var h5 = ShortVector.fromMemorySegment(S, x, at + 5 * H, LE).convertShape(WIDEN, I, 0);
      a5 = v.fma(h5.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a5);
      var h6 = ShortVector.fromMemorySegment(S, x, at + 6 * H, LE).convertShape(WIDEN, I, 0);
      a6 = v.fma(h6.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a6);
      var h7 = ShortVector.fromMemorySegment(S, x, at + 7 * H, LE).convertShape(WIDEN, I, 0);
      a7 = v.fma(h7.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a7);
    }
    FloatVector s = FloatVector.broadcast(F, scale);
    if (add) {
      s.fma(a0, fromMemorySegment(F, out, to, LE)).intoMemorySegment(out, to, LE);
      s.fma(a1, fromMemorySegment(F, out, to + V, LE)).intoMemorySegment(out, to + V, LE);
      s.fma(a2, fromMemorySegment(F, out, to + 2 * V, LE)).intoMemorySegment(out, to + 2 * V, LE);
      s.fma(a3, fromMemorySegment(F, out, to + 3 * V, LE)).intoMemorySegment(out, to + 3 * V, LE);
      s.fma(a4, fromMemorySegment(F, out, to + 4 * V, LE)).intoMemorySegment(out, to + 4 * V, LE);
      s.fma(a5, fromMemorySegment(F, out, to + 5 * V, LE)).intoMemorySegment(out, to + 5 * V, LE);
      s.fma(a6, fromMemorySegment(F, out, to + 6 * V, LE)).intoMemorySegment(out, to + 6 * V, LE);
      s.fma(a7, fromMemorySegment(F, out, to + 7 * V, LE)).intoMemorySegment(out, to + 7 * V, LE);
      return;
    }
    s.mul(a0).intoMemorySegment(out, to, LE);
    s.mul(a1).intoMemorySegment(out, to + V, LE);
    s.mul(a2).intoMemorySegment(out, to + 2 * V, LE);
    s.mul(a3).intoMemorySegment(out, to + 3 * V, LE);
    s.mul(a4).intoMemorySegment(out, to + 4 * V, LE);
    s.mul(a5).intoMemorySegment(out, to + 5 * V, LE);
    s.mul(a6).intoMemorySegment(out, to + 6 * V, LE);
    s.mul(a7).intoMemorySegment(out, to + 7 * V, LE);
  }

  private static void bySource2(
      SumGather g,
      long first,
      int n,
      MemorySegment out,
      long to,
      long column,
      float scale,
      boolean add) {
    MemorySegment x = g.x();
    MemorySegment ids = g.arcs().ids();
    MemorySegment w = g.coefficients().values();
    long stride = g.sourceStride();
    FloatVector a0 = FloatVector.zero(F);
    FloatVector a1 = a0;
    for (int i = 0; i < n; i++) {
      int source = ids.getAtIndex(JAVA_INT, first + i);
      FloatVector v = FloatVector.broadcast(F, w.getAtIndex(JAVA_FLOAT, source));
      long at = source * stride + column;
      var h0 = ShortVector.fromMemorySegment(S, x, at, LE).convertShape(WIDEN, I, 0);
      a0 = v.fma(h0.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a0);
      var h1 = ShortVector.fromMemorySegment(S, x, at + H, LE).convertShape(WIDEN, I, 0);
      a1 = v.fma(h1.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a1);
    }
    FloatVector s = FloatVector.broadcast(F, scale);
    if (add) {
      s.fma(a0, fromMemorySegment(F, out, to, LE)).intoMemorySegment(out, to, LE);
      s.fma(a1, fromMemorySegment(F, out, to + V, LE)).intoMemorySegment(out, to + V, LE);
      return;
    }
    s.mul(a0).intoMemorySegment(out, to, LE);
    s.mul(a1).intoMemorySegment(out, to + V, LE);
  }

  private static void bySource1(
      SumGather g,
      long first,
      int n,
      MemorySegment out,
      long to,
      long column,
      float scale,
      boolean add) {
    MemorySegment x = g.x();
    MemorySegment ids = g.arcs().ids();
    MemorySegment w = g.coefficients().values();
    long stride = g.sourceStride();
    FloatVector a0 = FloatVector.zero(F);
    for (int i = 0; i < n; i++) {
      int source = ids.getAtIndex(JAVA_INT, first + i);
      FloatVector v = FloatVector.broadcast(F, w.getAtIndex(JAVA_FLOAT, source));
      long at = source * stride + column;
      var h0 = ShortVector.fromMemorySegment(S, x, at, LE).convertShape(WIDEN, I, 0);
      a0 = v.fma(h0.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a0);
    }
    FloatVector s = FloatVector.broadcast(F, scale);
    if (add) {
      s.fma(a0, fromMemorySegment(F, out, to, LE)).intoMemorySegment(out, to, LE);
      return;
    }
    s.mul(a0).intoMemorySegment(out, to, LE);
  }

  private static void byArc8(
      SumGather g,
      long first,
      int n,
      MemorySegment out,
      long to,
      long column,
      float scale,
      boolean add) {
    MemorySegment x = g.x();
    MemorySegment ids = g.arcs().ids();
    MemorySegment w = g.coefficients().values();
    long stride = g.sourceStride();
    FloatVector a0 = FloatVector.zero(F);
    FloatVector a1 = a0;
    FloatVector a2 = a0;
    FloatVector a3 = a0;
    FloatVector a4 = a0;
    FloatVector a5 = a0;
    FloatVector a6 = a0;
    FloatVector a7 = a0;
    for (int i = 0; i < n; i++) {
      int source = ids.getAtIndex(JAVA_INT, first + i);
      FloatVector v = FloatVector.broadcast(F, w.getAtIndex(JAVA_FLOAT, first + i));
      long at = source * stride + column;
      var h0 = ShortVector.fromMemorySegment(S, x, at, LE).convertShape(WIDEN, I, 0);
      a0 = v.fma(h0.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a0);
      var h1 = ShortVector.fromMemorySegment(S, x, at + H, LE).convertShape(WIDEN, I, 0);
      a1 = v.fma(h1.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a1);
      var h2 = ShortVector.fromMemorySegment(S, x, at + 2 * H, LE).convertShape(WIDEN, I, 0);
      a2 = v.fma(h2.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a2);
      var h3 = ShortVector.fromMemorySegment(S, x, at + 3 * H, LE).convertShape(WIDEN, I, 0);
      a3 = v.fma(h3.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a3);
      var h4 = ShortVector.fromMemorySegment(S, x, at + 4 * H, LE).convertShape(WIDEN, I, 0);
      a4 = v.fma(h4.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a4);
      var h5 = ShortVector.fromMemorySegment(S, x, at + 5 * H, LE).convertShape(WIDEN, I, 0);
      a5 = v.fma(h5.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a5);
      var h6 = ShortVector.fromMemorySegment(S, x, at + 6 * H, LE).convertShape(WIDEN, I, 0);
      a6 = v.fma(h6.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a6);
      var h7 = ShortVector.fromMemorySegment(S, x, at + 7 * H, LE).convertShape(WIDEN, I, 0);
      a7 = v.fma(h7.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a7);
    }
    FloatVector s = FloatVector.broadcast(F, scale);
    if (add) {
      s.fma(a0, fromMemorySegment(F, out, to, LE)).intoMemorySegment(out, to, LE);
      s.fma(a1, fromMemorySegment(F, out, to + V, LE)).intoMemorySegment(out, to + V, LE);
      s.fma(a2, fromMemorySegment(F, out, to + 2 * V, LE)).intoMemorySegment(out, to + 2 * V, LE);
      s.fma(a3, fromMemorySegment(F, out, to + 3 * V, LE)).intoMemorySegment(out, to + 3 * V, LE);
      s.fma(a4, fromMemorySegment(F, out, to + 4 * V, LE)).intoMemorySegment(out, to + 4 * V, LE);
      s.fma(a5, fromMemorySegment(F, out, to + 5 * V, LE)).intoMemorySegment(out, to + 5 * V, LE);
      s.fma(a6, fromMemorySegment(F, out, to + 6 * V, LE)).intoMemorySegment(out, to + 6 * V, LE);
      s.fma(a7, fromMemorySegment(F, out, to + 7 * V, LE)).intoMemorySegment(out, to + 7 * V, LE);
      return;
    }
    s.mul(a0).intoMemorySegment(out, to, LE);
    s.mul(a1).intoMemorySegment(out, to + V, LE);
    s.mul(a2).intoMemorySegment(out, to + 2 * V, LE);
    s.mul(a3).intoMemorySegment(out, to + 3 * V, LE);
    s.mul(a4).intoMemorySegment(out, to + 4 * V, LE);
    s.mul(a5).intoMemorySegment(out, to + 5 * V, LE);
    s.mul(a6).intoMemorySegment(out, to + 6 * V, LE);
    s.mul(a7).intoMemorySegment(out, to + 7 * V, LE);
  }

  private static void byArc2(
      SumGather g,
      long first,
      int n,
      MemorySegment out,
      long to,
      long column,
      float scale,
      boolean add) {
    MemorySegment x = g.x();
    MemorySegment ids = g.arcs().ids();
    MemorySegment w = g.coefficients().values();
    long stride = g.sourceStride();
    FloatVector a0 = FloatVector.zero(F);
    FloatVector a1 = a0;
    for (int i = 0; i < n; i++) {
      int source = ids.getAtIndex(JAVA_INT, first + i);
      FloatVector v = FloatVector.broadcast(F, w.getAtIndex(JAVA_FLOAT, first + i));
      long at = source * stride + column;
      var h0 = ShortVector.fromMemorySegment(S, x, at, LE).convertShape(WIDEN, I, 0);
      a0 = v.fma(h0.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a0);
      var h1 = ShortVector.fromMemorySegment(S, x, at + H, LE).convertShape(WIDEN, I, 0);
      a1 = v.fma(h1.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a1);
    }
    FloatVector s = FloatVector.broadcast(F, scale);
    if (add) {
      s.fma(a0, fromMemorySegment(F, out, to, LE)).intoMemorySegment(out, to, LE);
      s.fma(a1, fromMemorySegment(F, out, to + V, LE)).intoMemorySegment(out, to + V, LE);
      return;
    }
    s.mul(a0).intoMemorySegment(out, to, LE);
    s.mul(a1).intoMemorySegment(out, to + V, LE);
  }

  private static void byArc1(
      SumGather g,
      long first,
      int n,
      MemorySegment out,
      long to,
      long column,
      float scale,
      boolean add) {
    MemorySegment x = g.x();
    MemorySegment ids = g.arcs().ids();
    MemorySegment w = g.coefficients().values();
    long stride = g.sourceStride();
    FloatVector a0 = FloatVector.zero(F);
    for (int i = 0; i < n; i++) {
      int source = ids.getAtIndex(JAVA_INT, first + i);
      FloatVector v = FloatVector.broadcast(F, w.getAtIndex(JAVA_FLOAT, first + i));
      long at = source * stride + column;
      var h0 = ShortVector.fromMemorySegment(S, x, at, LE).convertShape(WIDEN, I, 0);
      a0 = v.fma(h0.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsFloats(), a0);
    }
    FloatVector s = FloatVector.broadcast(F, scale);
    if (add) {
      s.fma(a0, fromMemorySegment(F, out, to, LE)).intoMemorySegment(out, to, LE);
      return;
    }
    s.mul(a0).intoMemorySegment(out, to, LE);
  }
}
