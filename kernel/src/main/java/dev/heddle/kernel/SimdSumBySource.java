package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
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
 * safe at the end of a row. The longest tiles call nothing but the Vector API: in methods of their
 * size the compiler inlines no others, and a vector that is passed to one is an object.
 */
final class SimdSumBySource {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final long V = F.vectorByteSize();

  private SimdSumBySource() {}

  static void row(
      SumGather g, long first, int n, MemorySegment out, long to, float scale, boolean add) {
    int vectors = Simd.vectors(g.out().cols());
    int c = 0;
    for (; c + 8 <= vectors; c += 8) {
      tile8(g, first, n, out, to + c * V, c * V, scale, add);
    }
    if (c + 6 <= vectors) {
      tile6(g, first, n, out, to + c * V, c * V, scale, add);
      c += 6;
    } else if (c + 5 <= vectors) {
      tile5(g, first, n, out, to + c * V, c * V, scale, add);
      c += 5;
    } else if (c + 4 <= vectors) {
      tile4(g, first, n, out, to + c * V, c * V, scale, add);
      c += 4;
    }
    if (c + 2 <= vectors) {
      tile2(g, first, n, out, to + c * V, c * V, scale, add);
      c += 2;
    }
    if (c < vectors) {
      tile1(g, first, n, out, to + c * V, c * V, scale, add);
    }
  }

  private static void tile8(
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
      a0 = v.fma(fromMemorySegment(F, x, at, LE), a0);
      a1 = v.fma(fromMemorySegment(F, x, at + V, LE), a1);
      a2 = v.fma(fromMemorySegment(F, x, at + 2 * V, LE), a2);
      a3 = v.fma(fromMemorySegment(F, x, at + 3 * V, LE), a3);
      a4 = v.fma(fromMemorySegment(F, x, at + 4 * V, LE), a4);
      a5 = v.fma(fromMemorySegment(F, x, at + 5 * V, LE), a5);
      a6 = v.fma(fromMemorySegment(F, x, at + 6 * V, LE), a6);
      a7 = v.fma(fromMemorySegment(F, x, at + 7 * V, LE), a7);
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

  private static void tile6(
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
    for (int i = 0; i < n; i++) {
      int source = ids.getAtIndex(JAVA_INT, first + i);
      FloatVector v = FloatVector.broadcast(F, w.getAtIndex(JAVA_FLOAT, source));
      long at = source * stride + column;
      a0 = v.fma(FloatVector.fromMemorySegment(F, x, at, LE), a0);
      a1 = v.fma(FloatVector.fromMemorySegment(F, x, at + V, LE), a1);
      a2 = v.fma(FloatVector.fromMemorySegment(F, x, at + 2 * V, LE), a2);
      a3 = v.fma(FloatVector.fromMemorySegment(F, x, at + 3 * V, LE), a3);
      a4 = v.fma(FloatVector.fromMemorySegment(F, x, at + 4 * V, LE), a4);
      a5 = v.fma(FloatVector.fromMemorySegment(F, x, at + 5 * V, LE), a5);
    }
    FloatVector s = FloatVector.broadcast(F, scale);
    if (add) {
      a0 = s.fma(a0, FloatVector.fromMemorySegment(F, out, to, LE));
      a0.intoMemorySegment(out, to, LE);
      a1 = s.fma(a1, FloatVector.fromMemorySegment(F, out, to + V, LE));
      a1.intoMemorySegment(out, to + V, LE);
      a2 = s.fma(a2, FloatVector.fromMemorySegment(F, out, to + 2 * V, LE));
      a2.intoMemorySegment(out, to + 2 * V, LE);
      a3 = s.fma(a3, FloatVector.fromMemorySegment(F, out, to + 3 * V, LE));
      a3.intoMemorySegment(out, to + 3 * V, LE);
      a4 = s.fma(a4, FloatVector.fromMemorySegment(F, out, to + 4 * V, LE));
      a4.intoMemorySegment(out, to + 4 * V, LE);
      a5 = s.fma(a5, FloatVector.fromMemorySegment(F, out, to + 5 * V, LE));
      a5.intoMemorySegment(out, to + 5 * V, LE);
      return;
    }
    s.mul(a0).intoMemorySegment(out, to, LE);
    s.mul(a1).intoMemorySegment(out, to + V, LE);
    s.mul(a2).intoMemorySegment(out, to + 2 * V, LE);
    s.mul(a3).intoMemorySegment(out, to + 3 * V, LE);
    s.mul(a4).intoMemorySegment(out, to + 4 * V, LE);
    s.mul(a5).intoMemorySegment(out, to + 5 * V, LE);
  }

  private static void tile5(
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
    for (int i = 0; i < n; i++) {
      int source = ids.getAtIndex(JAVA_INT, first + i);
      FloatVector v = FloatVector.broadcast(F, w.getAtIndex(JAVA_FLOAT, source));
      long at = source * stride + column;
      a0 = v.fma(FloatVector.fromMemorySegment(F, x, at, LE), a0);
      a1 = v.fma(FloatVector.fromMemorySegment(F, x, at + V, LE), a1);
      a2 = v.fma(FloatVector.fromMemorySegment(F, x, at + 2 * V, LE), a2);
      a3 = v.fma(FloatVector.fromMemorySegment(F, x, at + 3 * V, LE), a3);
      a4 = v.fma(FloatVector.fromMemorySegment(F, x, at + 4 * V, LE), a4);
    }
    FloatVector s = FloatVector.broadcast(F, scale);
    if (add) {
      a0 = s.fma(a0, FloatVector.fromMemorySegment(F, out, to, LE));
      a0.intoMemorySegment(out, to, LE);
      a1 = s.fma(a1, FloatVector.fromMemorySegment(F, out, to + V, LE));
      a1.intoMemorySegment(out, to + V, LE);
      a2 = s.fma(a2, FloatVector.fromMemorySegment(F, out, to + 2 * V, LE));
      a2.intoMemorySegment(out, to + 2 * V, LE);
      a3 = s.fma(a3, FloatVector.fromMemorySegment(F, out, to + 3 * V, LE));
      a3.intoMemorySegment(out, to + 3 * V, LE);
      a4 = s.fma(a4, FloatVector.fromMemorySegment(F, out, to + 4 * V, LE));
      a4.intoMemorySegment(out, to + 4 * V, LE);
      return;
    }
    s.mul(a0).intoMemorySegment(out, to, LE);
    s.mul(a1).intoMemorySegment(out, to + V, LE);
    s.mul(a2).intoMemorySegment(out, to + 2 * V, LE);
    s.mul(a3).intoMemorySegment(out, to + 3 * V, LE);
    s.mul(a4).intoMemorySegment(out, to + 4 * V, LE);
  }

  private static void tile4(
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
    for (int i = 0; i < n; i++) {
      int source = ids.getAtIndex(JAVA_INT, first + i);
      FloatVector v = FloatVector.broadcast(F, w.getAtIndex(JAVA_FLOAT, source));
      long at = source * stride + column;
      a0 = v.fma(fromMemorySegment(F, x, at, LE), a0);
      a1 = v.fma(fromMemorySegment(F, x, at + V, LE), a1);
      a2 = v.fma(fromMemorySegment(F, x, at + 2 * V, LE), a2);
      a3 = v.fma(fromMemorySegment(F, x, at + 3 * V, LE), a3);
    }
    FloatVector s = FloatVector.broadcast(F, scale);
    if (add) {
      s.fma(a0, fromMemorySegment(F, out, to, LE)).intoMemorySegment(out, to, LE);
      s.fma(a1, fromMemorySegment(F, out, to + V, LE)).intoMemorySegment(out, to + V, LE);
      s.fma(a2, fromMemorySegment(F, out, to + 2 * V, LE)).intoMemorySegment(out, to + 2 * V, LE);
      s.fma(a3, fromMemorySegment(F, out, to + 3 * V, LE)).intoMemorySegment(out, to + 3 * V, LE);
      return;
    }
    s.mul(a0).intoMemorySegment(out, to, LE);
    s.mul(a1).intoMemorySegment(out, to + V, LE);
    s.mul(a2).intoMemorySegment(out, to + 2 * V, LE);
    s.mul(a3).intoMemorySegment(out, to + 3 * V, LE);
  }

  private static void tile2(
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
      a0 = v.fma(fromMemorySegment(F, x, at, LE), a0);
      a1 = v.fma(fromMemorySegment(F, x, at + V, LE), a1);
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

  private static void tile1(
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
      a0 = v.fma(fromMemorySegment(F, x, at, LE), a0);
    }
    FloatVector s = FloatVector.broadcast(F, scale);
    if (add) {
      s.fma(a0, fromMemorySegment(F, out, to, LE)).intoMemorySegment(out, to, LE);
      return;
    }
    s.mul(a0).intoMemorySegment(out, to, LE);
  }
}
