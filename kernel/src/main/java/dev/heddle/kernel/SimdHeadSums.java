package dev.heddle.kernel;

import static dev.heddle.kernel.RawMemory.ADDRESS;
import static dev.heddle.kernel.RawMemory.ALL;
import static dev.heddle.kernel.RawMemory.STRIDE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/**
 * Sums over a chunk of arcs in which every head of a gathered row has its own coefficient.
 *
 * <p>Tiles are those of {@link SimdGather}. Where heads are multiples of four vectors wide, a tile
 * has two coefficients at most. Otherwise, so that a tile may span heads, coefficients are first
 * spread: one for each vector of a row. Where heads do not end with vectors, each head is summed by
 * itself, its last columns under a mask. Whole vectors are read from {@link RawMemory}, with one
 * check per arc, as in {@link SimdSumBySource}.
 */
final class SimdHeadSums {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final int LANES = Simd.LANES;
  private static final long V = F.vectorByteSize();

  private SimdHeadSums() {}

  /** Makes the target row {@code Σ_i weight[i] · far[j]}, or adds that to it. */
  static void weighted(AttentionPass p, ArcChunk c, boolean add) {
    int width = c.heads().width();
    if (!wholeVectors(c.heads())) {
      for (int h = 0; h < c.heads().count(); h++) {
        for (int d = 0; d < width; d += LANES) {
          masked(p, c, h, 4L * (h * width + d), Math.min(LANES, width - d), add);
        }
      }
      return;
    }
    int perHead = Simd.vectors(width);
    int vectors = Simd.vectors(c.heads().columns());
    int v = 0;
    if (perHead % 4 == 0) {
      for (; v + 8 <= vectors; v += 8) {
        int h = v / perHead;
        halves(p, c, h, (v + 4) / perHead - h, v * V, add);
      }
    }
    boolean spread = width > LANES && v < vectors;
    float[] w = spread ? spread(c, c.weights) : c.weights;
    int step = spread ? c.spreadStride : c.stride;
    for (; v + 8 <= vectors; v += 8) {
      tile8(p, c, w, v, step, add);
    }
    if (v + 4 <= vectors) {
      tile4(p, c, w, v, step, add);
      v += 4;
    }
    for (; v < vectors; v++) {
      tile1(p, c, w, v, step, add);
    }
  }

  /** Multiplies the heads of a row by one factor each. */
  static void scale(Matrix m, int row, Heads heads, float[] factors) {
    MemorySegment data = m.data();
    int width = heads.width();
    for (int h = 0; h < heads.count(); h++) {
      long at = m.offset(row) + 4L * h * width;
      int d = 0;
      for (; d + LANES <= width; d += LANES) {
        fromMemorySegment(F, data, at + 4L * d, LE)
            .mul(factors[h])
            .intoMemorySegment(data, at + 4L * d, LE);
      }
      if (d < width) {
        VectorMask<Float> rest = F.indexInRange(d, width);
        fromMemorySegment(F, data, at + 4L * d, LE, rest)
            .mul(factors[h])
            .intoMemorySegment(data, at + 4L * d, LE, rest);
      }
    }
  }

  /** Whether no vector of a row reaches into two heads; a single head may end in padding. */
  static boolean wholeVectors(Heads heads) {
    return heads.count() == 1 || heads.width() % LANES == 0;
  }

  /** Repeats the values of heads for each of their vectors. */
  static float[] spread(ArcChunk c, float[] values) {
    int perHead = Simd.vectors(c.heads().width());
    int count = c.heads().count();
    for (int i = 0; i < c.n(); i++) {
      int to = i * c.spreadStride;
      for (int h = 0; h < count; h++, to += perHead) {
        Arrays.fill(c.spread, to, to + perHead, values[i * c.stride + h]);
      }
    }
    return c.spread;
  }

  /** Eight vectors, the first four of one head and the others of a head so many further on. */
  private static void halves(
      AttentionPass p, ArcChunk c, int head, int other, long column, boolean add) {
    long id = (p.arcs().ids().address() + 4 * c.first()) & ADDRESS;
    long x = (p.far().address(0) + column) & ADDRESS;
    long stride = 4L * p.far().stride() & STRIDE;
    int rows = p.far().rows();
    long to = (p.target().address(c.row()) + column) & ADDRESS;
    int n = c.n();
    float[] w = c.weights;
    int step = c.stride;
    FloatVector a0 = FloatVector.zero(F);
    FloatVector a1 = a0;
    FloatVector a2 = a0;
    FloatVector a3 = a0;
    FloatVector a4 = a0;
    FloatVector a5 = a0;
    FloatVector a6 = a0;
    FloatVector a7 = a0;
    for (int i = 0; i < n; i++) {
      long at = x + Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), rows) * stride;
      int b = head + i * step;
      FloatVector v = FloatVector.broadcast(F, w[b]);
      FloatVector u = FloatVector.broadcast(F, w[b + other]);
      a0 = v.fma(fromMemorySegment(F, ALL, at, LE), a0);
      a1 = v.fma(fromMemorySegment(F, ALL, at + V, LE), a1);
      a2 = v.fma(fromMemorySegment(F, ALL, at + 2 * V, LE), a2);
      a3 = v.fma(fromMemorySegment(F, ALL, at + 3 * V, LE), a3);
      a4 = u.fma(fromMemorySegment(F, ALL, at + 4 * V, LE), a4);
      a5 = u.fma(fromMemorySegment(F, ALL, at + 5 * V, LE), a5);
      a6 = u.fma(fromMemorySegment(F, ALL, at + 6 * V, LE), a6);
      a7 = u.fma(fromMemorySegment(F, ALL, at + 7 * V, LE), a7);
    }
    if (add) {
      a0 = a0.add(fromMemorySegment(F, ALL, to, LE));
      a0.intoMemorySegment(ALL, to, LE);
      a1 = a1.add(fromMemorySegment(F, ALL, to + V, LE));
      a1.intoMemorySegment(ALL, to + V, LE);
      a2 = a2.add(fromMemorySegment(F, ALL, to + 2 * V, LE));
      a2.intoMemorySegment(ALL, to + 2 * V, LE);
      a3 = a3.add(fromMemorySegment(F, ALL, to + 3 * V, LE));
      a3.intoMemorySegment(ALL, to + 3 * V, LE);
      a4 = a4.add(fromMemorySegment(F, ALL, to + 4 * V, LE));
      a4.intoMemorySegment(ALL, to + 4 * V, LE);
      a5 = a5.add(fromMemorySegment(F, ALL, to + 5 * V, LE));
      a5.intoMemorySegment(ALL, to + 5 * V, LE);
      a6 = a6.add(fromMemorySegment(F, ALL, to + 6 * V, LE));
      a6.intoMemorySegment(ALL, to + 6 * V, LE);
      a7 = a7.add(fromMemorySegment(F, ALL, to + 7 * V, LE));
      a7.intoMemorySegment(ALL, to + 7 * V, LE);
      return;
    }
    a0.intoMemorySegment(ALL, to, LE);
    a1.intoMemorySegment(ALL, to + V, LE);
    a2.intoMemorySegment(ALL, to + 2 * V, LE);
    a3.intoMemorySegment(ALL, to + 3 * V, LE);
    a4.intoMemorySegment(ALL, to + 4 * V, LE);
    a5.intoMemorySegment(ALL, to + 5 * V, LE);
    a6.intoMemorySegment(ALL, to + 6 * V, LE);
    a7.intoMemorySegment(ALL, to + 7 * V, LE);
  }

  private static void tile8(
      AttentionPass p, ArcChunk c, float[] w, int vector, int step, boolean add) {
    long column = vector * V;
    long id = (p.arcs().ids().address() + 4 * c.first()) & ADDRESS;
    long x = (p.far().address(0) + column) & ADDRESS;
    long stride = 4L * p.far().stride() & STRIDE;
    int rows = p.far().rows();
    long to = (p.target().address(c.row()) + column) & ADDRESS;
    int n = c.n();
    FloatVector a0 = FloatVector.zero(F);
    FloatVector a1 = a0;
    FloatVector a2 = a0;
    FloatVector a3 = a0;
    FloatVector a4 = a0;
    FloatVector a5 = a0;
    FloatVector a6 = a0;
    FloatVector a7 = a0;
    for (int i = 0; i < n; i++) {
      long at = x + Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), rows) * stride;
      int b = vector + i * step;
      FloatVector w0 = FloatVector.broadcast(F, w[b]);
      a0 = w0.fma(fromMemorySegment(F, ALL, at, LE), a0);
      FloatVector w1 = FloatVector.broadcast(F, w[b + 1]);
      a1 = w1.fma(fromMemorySegment(F, ALL, at + V, LE), a1);
      FloatVector w2 = FloatVector.broadcast(F, w[b + 2]);
      a2 = w2.fma(fromMemorySegment(F, ALL, at + 2 * V, LE), a2);
      FloatVector w3 = FloatVector.broadcast(F, w[b + 3]);
      a3 = w3.fma(fromMemorySegment(F, ALL, at + 3 * V, LE), a3);
      FloatVector w4 = FloatVector.broadcast(F, w[b + 4]);
      a4 = w4.fma(fromMemorySegment(F, ALL, at + 4 * V, LE), a4);
      FloatVector w5 = FloatVector.broadcast(F, w[b + 5]);
      a5 = w5.fma(fromMemorySegment(F, ALL, at + 5 * V, LE), a5);
      FloatVector w6 = FloatVector.broadcast(F, w[b + 6]);
      a6 = w6.fma(fromMemorySegment(F, ALL, at + 6 * V, LE), a6);
      FloatVector w7 = FloatVector.broadcast(F, w[b + 7]);
      a7 = w7.fma(fromMemorySegment(F, ALL, at + 7 * V, LE), a7);
    }
    if (add) {
      a0 = a0.add(fromMemorySegment(F, ALL, to, LE));
      a0.intoMemorySegment(ALL, to, LE);
      a1 = a1.add(fromMemorySegment(F, ALL, to + V, LE));
      a1.intoMemorySegment(ALL, to + V, LE);
      a2 = a2.add(fromMemorySegment(F, ALL, to + 2 * V, LE));
      a2.intoMemorySegment(ALL, to + 2 * V, LE);
      a3 = a3.add(fromMemorySegment(F, ALL, to + 3 * V, LE));
      a3.intoMemorySegment(ALL, to + 3 * V, LE);
      a4 = a4.add(fromMemorySegment(F, ALL, to + 4 * V, LE));
      a4.intoMemorySegment(ALL, to + 4 * V, LE);
      a5 = a5.add(fromMemorySegment(F, ALL, to + 5 * V, LE));
      a5.intoMemorySegment(ALL, to + 5 * V, LE);
      a6 = a6.add(fromMemorySegment(F, ALL, to + 6 * V, LE));
      a6.intoMemorySegment(ALL, to + 6 * V, LE);
      a7 = a7.add(fromMemorySegment(F, ALL, to + 7 * V, LE));
      a7.intoMemorySegment(ALL, to + 7 * V, LE);
      return;
    }
    a0.intoMemorySegment(ALL, to, LE);
    a1.intoMemorySegment(ALL, to + V, LE);
    a2.intoMemorySegment(ALL, to + 2 * V, LE);
    a3.intoMemorySegment(ALL, to + 3 * V, LE);
    a4.intoMemorySegment(ALL, to + 4 * V, LE);
    a5.intoMemorySegment(ALL, to + 5 * V, LE);
    a6.intoMemorySegment(ALL, to + 6 * V, LE);
    a7.intoMemorySegment(ALL, to + 7 * V, LE);
  }

  private static void tile4(
      AttentionPass p, ArcChunk c, float[] w, int vector, int step, boolean add) {
    long column = vector * V;
    long id = (p.arcs().ids().address() + 4 * c.first()) & ADDRESS;
    long x = (p.far().address(0) + column) & ADDRESS;
    long stride = 4L * p.far().stride() & STRIDE;
    int rows = p.far().rows();
    long to = (p.target().address(c.row()) + column) & ADDRESS;
    int n = c.n();
    FloatVector a0 = FloatVector.zero(F);
    FloatVector a1 = a0;
    FloatVector a2 = a0;
    FloatVector a3 = a0;
    for (int i = 0; i < n; i++) {
      long at = x + Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), rows) * stride;
      int b = vector + i * step;
      FloatVector w0 = FloatVector.broadcast(F, w[b]);
      a0 = w0.fma(fromMemorySegment(F, ALL, at, LE), a0);
      FloatVector w1 = FloatVector.broadcast(F, w[b + 1]);
      a1 = w1.fma(fromMemorySegment(F, ALL, at + V, LE), a1);
      FloatVector w2 = FloatVector.broadcast(F, w[b + 2]);
      a2 = w2.fma(fromMemorySegment(F, ALL, at + 2 * V, LE), a2);
      FloatVector w3 = FloatVector.broadcast(F, w[b + 3]);
      a3 = w3.fma(fromMemorySegment(F, ALL, at + 3 * V, LE), a3);
    }
    if (add) {
      a0 = a0.add(fromMemorySegment(F, ALL, to, LE));
      a0.intoMemorySegment(ALL, to, LE);
      a1 = a1.add(fromMemorySegment(F, ALL, to + V, LE));
      a1.intoMemorySegment(ALL, to + V, LE);
      a2 = a2.add(fromMemorySegment(F, ALL, to + 2 * V, LE));
      a2.intoMemorySegment(ALL, to + 2 * V, LE);
      a3 = a3.add(fromMemorySegment(F, ALL, to + 3 * V, LE));
      a3.intoMemorySegment(ALL, to + 3 * V, LE);
      return;
    }
    a0.intoMemorySegment(ALL, to, LE);
    a1.intoMemorySegment(ALL, to + V, LE);
    a2.intoMemorySegment(ALL, to + 2 * V, LE);
    a3.intoMemorySegment(ALL, to + 3 * V, LE);
  }

  private static void tile1(
      AttentionPass p, ArcChunk c, float[] w, int vector, int step, boolean add) {
    long column = vector * V;
    long id = (p.arcs().ids().address() + 4 * c.first()) & ADDRESS;
    long x = (p.far().address(0) + column) & ADDRESS;
    long stride = 4L * p.far().stride() & STRIDE;
    int rows = p.far().rows();
    long to = (p.target().address(c.row()) + column) & ADDRESS;
    int n = c.n();
    FloatVector a0 = FloatVector.zero(F);
    for (int i = 0; i < n; i++) {
      long at = x + Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), rows) * stride;
      int b = vector + i * step;
      FloatVector w0 = FloatVector.broadcast(F, w[b]);
      a0 = w0.fma(fromMemorySegment(F, ALL, at, LE), a0);
    }
    if (add) {
      a0 = a0.add(fromMemorySegment(F, ALL, to, LE));
      a0.intoMemorySegment(ALL, to, LE);
      return;
    }
    a0.intoMemorySegment(ALL, to, LE);
  }

  private static void masked(
      AttentionPass p, ArcChunk c, int head, long column, int lanes, boolean add) {
    MemorySegment x = p.far().data();
    MemorySegment ids = p.arcs().ids();
    MemorySegment out = p.target().data();
    long stride = (long) p.far().stride() * Float.BYTES;
    long idAt = c.first() * Integer.BYTES;
    long to = p.target().offset(c.row()) + column;
    int n = c.n();
    int step = c.stride;
    VectorMask<Float> mask = F.indexInRange(0, lanes);
    FloatVector a0 = FloatVector.zero(F);
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + column;
      a0 =
          FloatVector.broadcast(F, c.weights[head + i * step])
              .fma(fromMemorySegment(F, x, at, LE, mask), a0);
    }
    if (add) {
      a0 = a0.add(fromMemorySegment(F, out, to, LE, mask));
      a0.intoMemorySegment(out, to, LE, mask);
      return;
    }
    a0.intoMemorySegment(out, to, LE, mask);
  }
}
