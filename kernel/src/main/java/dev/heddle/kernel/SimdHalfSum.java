package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** Sums of bfloat16 rows, widened on the way into float32 accumulators; else as {@link SimdSum}. */
final class SimdHalfSum {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final VectorSpecies<Short> S = Simd.SHORTS;
  private static final VectorSpecies<Integer> I = Simd.INTS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final long V = F.vectorByteSize();
  private static final long H = S.vectorByteSize();

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
      a0 = v.fma(widen(x, at), a0);
      a1 = v.fma(widen(x, at + H), a1);
      a2 = v.fma(widen(x, at + 2 * H), a2);
      a3 = v.fma(widen(x, at + 3 * H), a3);
      a4 = v.fma(widen(x, at + 4 * H), a4);
      a5 = v.fma(widen(x, at + 5 * H), a5);
      a6 = v.fma(widen(x, at + 6 * H), a6);
      a7 = v.fma(widen(x, at + 7 * H), a7);
    }
    store(a0, out, to, scale, add);
    store(a1, out, to + V, scale, add);
    store(a2, out, to + 2 * V, scale, add);
    store(a3, out, to + 3 * V, scale, add);
    store(a4, out, to + 4 * V, scale, add);
    store(a5, out, to + 5 * V, scale, add);
    store(a6, out, to + 6 * V, scale, add);
    store(a7, out, to + 7 * V, scale, add);
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
      a0 = v.fma(widen(x, at), a0);
      a1 = v.fma(widen(x, at + H), a1);
    }
    store(a0, out, to, scale, add);
    store(a1, out, to + V, scale, add);
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
      a0 = v.fma(widen(x, at), a0);
    }
    store(a0, out, to, scale, add);
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
      a0 = v.fma(widen(x, at), a0);
      a1 = v.fma(widen(x, at + H), a1);
      a2 = v.fma(widen(x, at + 2 * H), a2);
      a3 = v.fma(widen(x, at + 3 * H), a3);
      a4 = v.fma(widen(x, at + 4 * H), a4);
      a5 = v.fma(widen(x, at + 5 * H), a5);
      a6 = v.fma(widen(x, at + 6 * H), a6);
      a7 = v.fma(widen(x, at + 7 * H), a7);
    }
    store(a0, out, to, scale, add);
    store(a1, out, to + V, scale, add);
    store(a2, out, to + 2 * V, scale, add);
    store(a3, out, to + 3 * V, scale, add);
    store(a4, out, to + 4 * V, scale, add);
    store(a5, out, to + 5 * V, scale, add);
    store(a6, out, to + 6 * V, scale, add);
    store(a7, out, to + 7 * V, scale, add);
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
      a0 = v.fma(widen(x, at), a0);
      a1 = v.fma(widen(x, at + H), a1);
    }
    store(a0, out, to, scale, add);
    store(a1, out, to + V, scale, add);
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
      a0 = v.fma(widen(x, at), a0);
    }
    store(a0, out, to, scale, add);
  }

  private static void store(FloatVector sum, MemorySegment out, long at, float scale, boolean add) {
    SimdSum.store(sum, out, at, scale, add);
  }

  /** A vector of bfloat16 as floats: they are the upper halves. */
  private static FloatVector widen(MemorySegment x, long at) {
    return ShortVector.fromMemorySegment(S, x, at, LE)
        .convertShape(VectorOperators.ZERO_EXTEND_S2I, I, 0)
        .reinterpretAsInts()
        .lanewise(VectorOperators.LSHL, 16)
        .reinterpretAsFloats();
  }
}
