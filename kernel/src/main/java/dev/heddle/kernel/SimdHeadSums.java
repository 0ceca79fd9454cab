package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Sums over a chunk of arcs in which every head of a gathered row has its own coefficient.
 *
 * <p>Tiles are those of {@link SimdGather}. So that a tile may span heads, coefficients are first
 * spread: one for each vector of a row. Where heads do not end with vectors, each head is summed by
 * itself, its last columns under a mask.
 */
final class SimdHeadSums {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final int LANES = Simd.LANES;
  private static final long V = F.vectorByteSize();

  private SimdHeadSums() {}

  /** Adds {@code Σ_i weight[i] · far[j]} to the target row. */
  static void weighted(AttentionPass p, ArcChunk c) {
    MemorySegment x = p.far().data();
    MemorySegment ids = p.arcs().ids();
    MemorySegment out = p.target().data();
    long stride = (long) p.far().stride() * Float.BYTES;
    long idAt = c.first() * Integer.BYTES;
    long outAt = p.target().offset(c.row());
    int n = c.n();
    int width = c.heads().width();
    if (!wholeVectors(c.heads())) {
      for (int h = 0; h < c.heads().count(); h++) {
        for (int d = 0; d < width; d += LANES) {
          long k = 4L * (h * width + d);
          int lanes = Math.min(LANES, width - d);
          masked(x, ids, stride, idAt, n, c.weights, h, c.stride, out, outAt, k, lanes);
        }
      }
      return;
    }
    boolean spread = width > LANES;
    float[] w = spread ? spread(c, c.weights) : c.weights;
    int step = spread ? c.spreadStride : c.stride;
    int vectors = Simd.vectors(c.heads().columns());
    int v = 0;
    for (; v + 8 <= vectors; v += 8) {
      tile8(x, ids, stride, idAt, n, w, v, step, out, outAt, v * V);
    }
    if (v + 4 <= vectors) {
      tile4(x, ids, stride, idAt, n, w, v, step, out, outAt, v * V);
      v += 4;
    }
    for (; v < vectors; v++) {
      tile1(x, ids, stride, idAt, n, w, v, step, out, outAt, v * V);
    }
  }

  /** Adds {@code Σ_i gradient[i] · leaky'(near[w] + far[j])} to the row's slopes. */
  static void slopes(AttentionPass p, ArcChunk c) {
    MemorySegment near = p.scoreNear().data();
    MemorySegment x = p.scoreFar().data();
    MemorySegment ids = p.arcs().ids();
    long nearAt = p.scoreNear().offset(c.row());
    long stride = (long) p.scoreFar().stride() * Float.BYTES;
    long idAt = c.first() * Integer.BYTES;
    int n = c.n();
    float slope = p.slope();
    int width = c.heads().width();
    if (!wholeVectors(c.heads())) {
      for (int h = 0; h < c.heads().count(); h++) {
        for (int d = 0; d < width; d += LANES) {
          int k = h * width + d;
          int lanes = Math.min(LANES, width - d);
          maskedSlope(
              near, nearAt, x, ids, stride, idAt, n, c.scores, h, c.stride, slope, c.slopes, k,
              lanes);
        }
      }
      return;
    }
    boolean spread = width > LANES;
    float[] w = spread ? spread(c, c.scores) : c.scores;
    int step = spread ? c.spreadStride : c.stride;
    int vectors = Simd.vectors(c.heads().columns());
    int v = 0;
    for (; v + 4 <= vectors; v += 4) {
      slope4(near, nearAt, x, ids, stride, idAt, n, w, v, step, slope, c.slopes, v * LANES);
    }
    for (; v < vectors; v++) {
      slope1(near, nearAt, x, ids, stride, idAt, n, w, v, step, slope, c.slopes, v * LANES);
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
        FloatVector.fromMemorySegment(F, data, at + 4L * d, LE)
            .mul(factors[h])
            .intoMemorySegment(data, at + 4L * d, LE);
      }
      if (d < width) {
        VectorMask<Float> rest = F.indexInRange(d, width);
        FloatVector.fromMemorySegment(F, data, at + 4L * d, LE, rest)
            .mul(factors[h])
            .intoMemorySegment(data, at + 4L * d, LE, rest);
      }
    }
  }

  /** Whether no vector of a row reaches into two heads; a single head may end in padding. */
  private static boolean wholeVectors(Heads heads) {
    return heads.count() == 1 || heads.width() % LANES == 0;
  }

  /** Repeats the values of heads for each of their vectors. */
  private static float[] spread(ArcChunk c, float[] values) {
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

  private static void tile8(
      MemorySegment x,
      MemorySegment ids,
      long stride,
      long idAt,
      int n,
      float[] w,
      int wAt,
      int step,
      MemorySegment out,
      long outAt,
      long column) {
    long to = outAt + column;
    FloatVector a0 = FloatVector.fromMemorySegment(F, out, to, LE);
    FloatVector a1 = FloatVector.fromMemorySegment(F, out, to + V, LE);
    FloatVector a2 = FloatVector.fromMemorySegment(F, out, to + 2 * V, LE);
    FloatVector a3 = FloatVector.fromMemorySegment(F, out, to + 3 * V, LE);
    FloatVector a4 = FloatVector.fromMemorySegment(F, out, to + 4 * V, LE);
    FloatVector a5 = FloatVector.fromMemorySegment(F, out, to + 5 * V, LE);
    FloatVector a6 = FloatVector.fromMemorySegment(F, out, to + 6 * V, LE);
    FloatVector a7 = FloatVector.fromMemorySegment(F, out, to + 7 * V, LE);
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + column;
      int b = wAt + i * step;
      a0 = FloatVector.broadcast(F, w[b]).fma(FloatVector.fromMemorySegment(F, x, at, LE), a0);
      a1 =
          FloatVector.broadcast(F, w[b + 1])
              .fma(FloatVector.fromMemorySegment(F, x, at + V, LE), a1);
      a2 =
          FloatVector.broadcast(F, w[b + 2])
              .fma(FloatVector.fromMemorySegment(F, x, at + 2 * V, LE), a2);
      a3 =
          FloatVector.broadcast(F, w[b + 3])
              .fma(FloatVector.fromMemorySegment(F, x, at + 3 * V, LE), a3);
      a4 =
          FloatVector.broadcast(F, w[b + 4])
              .fma(FloatVector.fromMemorySegment(F, x, at + 4 * V, LE), a4);
      a5 =
          FloatVector.broadcast(F, w[b + 5])
              .fma(FloatVector.fromMemorySegment(F, x, at + 5 * V, LE), a5);
      a6 =
          FloatVector.broadcast(F, w[b + 6])
              .fma(FloatVector.fromMemorySegment(F, x, at + 6 * V, LE), a6);
      a7 =
          FloatVector.broadcast(F, w[b + 7])
              .fma(FloatVector.fromMemorySegment(F, x, at + 7 * V, LE), a7);
    }
    a0.intoMemorySegment(out, to, LE);
    a1.intoMemorySegment(out, to + V, LE);
    a2.intoMemorySegment(out, to + 2 * V, LE);
    a3.intoMemorySegment(out, to + 3 * V, LE);
    a4.intoMemorySegment(out, to + 4 * V, LE);
    a5.intoMemorySegment(out, to + 5 * V, LE);
    a6.intoMemorySegment(out, to + 6 * V, LE);
    a7.intoMemorySegment(out, to + 7 * V, LE);
  }

  private static void tile4(
      MemorySegment x,
      MemorySegment ids,
      long stride,
      long idAt,
      int n,
      float[] w,
      int wAt,
      int step,
      MemorySegment out,
      long outAt,
      long column) {
    long to = outAt + column;
    FloatVector a0 = FloatVector.fromMemorySegment(F, out, to, LE);
    FloatVector a1 = FloatVector.fromMemorySegment(F, out, to + V, LE);
    FloatVector a2 = FloatVector.fromMemorySegment(F, out, to + 2 * V, LE);
    FloatVector a3 = FloatVector.fromMemorySegment(F, out, to + 3 * V, LE);
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + column;
      int b = wAt + i * step;
      a0 = FloatVector.broadcast(F, w[b]).fma(FloatVector.fromMemorySegment(F, x, at, LE), a0);
      a1 =
          FloatVector.broadcast(F, w[b + 1])
              .fma(FloatVector.fromMemorySegment(F, x, at + V, LE), a1);
      a2 =
          FloatVector.broadcast(F, w[b + 2])
              .fma(FloatVector.fromMemorySegment(F, x, at + 2 * V, LE), a2);
      a3 =
          FloatVector.broadcast(F, w[b + 3])
              .fma(FloatVector.fromMemorySegment(F, x, at + 3 * V, LE), a3);
    }
    a0.intoMemorySegment(out, to, LE);
    a1.intoMemorySegment(out, to + V, LE);
    a2.intoMemorySegment(out, to + 2 * V, LE);
    a3.intoMemorySegment(out, to + 3 * V, LE);
  }

  private static void tile1(
      MemorySegment x,
      MemorySegment ids,
      long stride,
      long idAt,
      int n,
      float[] w,
      int wAt,
      int step,
      MemorySegment out,
      long outAt,
      long column) {
    FloatVector a0 = FloatVector.fromMemorySegment(F, out, outAt + column, LE);
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + column;
      a0 =
          FloatVector.broadcast(F, w[wAt + i * step])
              .fma(FloatVector.fromMemorySegment(F, x, at, LE), a0);
    }
    a0.intoMemorySegment(out, outAt + column, LE);
  }

  private static void masked(
      MemorySegment x,
      MemorySegment ids,
      long stride,
      long idAt,
      int n,
      float[] w,
      int wAt,
      int step,
      MemorySegment out,
      long outAt,
      long column,
      int lanes) {
    VectorMask<Float> mask = F.indexInRange(0, lanes);
    FloatVector a0 = FloatVector.fromMemorySegment(F, out, outAt + column, LE, mask);
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + column;
      a0 =
          FloatVector.broadcast(F, w[wAt + i * step])
              .fma(FloatVector.fromMemorySegment(F, x, at, LE, mask), a0);
    }
    a0.intoMemorySegment(out, outAt + column, LE, mask);
  }

  private static void slope4(
      MemorySegment near,
      long nearAt,
      MemorySegment x,
      MemorySegment ids,
      long stride,
      long idAt,
      int n,
      float[] w,
      int wAt,
      int step,
      float slope,
      float[] out,
      int column) {
    long from = nearAt + 4L * column;
    FloatVector n0 = FloatVector.fromMemorySegment(F, near, from, LE);
    FloatVector n1 = FloatVector.fromMemorySegment(F, near, from + V, LE);
    FloatVector n2 = FloatVector.fromMemorySegment(F, near, from + 2 * V, LE);
    FloatVector n3 = FloatVector.fromMemorySegment(F, near, from + 3 * V, LE);
    FloatVector a0 = FloatVector.fromArray(F, out, column);
    FloatVector a1 = FloatVector.fromArray(F, out, column + LANES);
    FloatVector a2 = FloatVector.fromArray(F, out, column + 2 * LANES);
    FloatVector a3 = FloatVector.fromArray(F, out, column + 3 * LANES);
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + 4L * column;
      int b = wAt + i * step;
      FloatVector z0 = n0.add(FloatVector.fromMemorySegment(F, x, at, LE));
      FloatVector z1 = n1.add(FloatVector.fromMemorySegment(F, x, at + V, LE));
      FloatVector z2 = n2.add(FloatVector.fromMemorySegment(F, x, at + 2 * V, LE));
      FloatVector z3 = n3.add(FloatVector.fromMemorySegment(F, x, at + 3 * V, LE));
      FloatVector below = FloatVector.broadcast(F, slope * w[b]);
      a0 = a0.add(below.blend(w[b], z0.compare(VectorOperators.GT, 0)));
      below = FloatVector.broadcast(F, slope * w[b + 1]);
      a1 = a1.add(below.blend(w[b + 1], z1.compare(VectorOperators.GT, 0)));
      below = FloatVector.broadcast(F, slope * w[b + 2]);
      a2 = a2.add(below.blend(w[b + 2], z2.compare(VectorOperators.GT, 0)));
      below = FloatVector.broadcast(F, slope * w[b + 3]);
      a3 = a3.add(below.blend(w[b + 3], z3.compare(VectorOperators.GT, 0)));
    }
    a0.intoArray(out, column);
    a1.intoArray(out, column + LANES);
    a2.intoArray(out, column + 2 * LANES);
    a3.intoArray(out, column + 3 * LANES);
  }

  private static void slope1(
      MemorySegment near,
      long nearAt,
      MemorySegment x,
      MemorySegment ids,
      long stride,
      long idAt,
      int n,
      float[] w,
      int wAt,
      int step,
      float slope,
      float[] out,
      int column) {
    FloatVector n0 = FloatVector.fromMemorySegment(F, near, nearAt + 4L * column, LE);
    FloatVector a0 = FloatVector.fromArray(F, out, column);
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + 4L * column;
      float gradient = w[wAt + i * step];
      FloatVector z = n0.add(FloatVector.fromMemorySegment(F, x, at, LE));
      FloatVector below = FloatVector.broadcast(F, slope * gradient);
      a0 = a0.add(below.blend(gradient, z.compare(VectorOperators.GT, 0)));
    }
    a0.intoArray(out, column);
  }

  private static void maskedSlope(
      MemorySegment near,
      long nearAt,
      MemorySegment x,
      MemorySegment ids,
      long stride,
      long idAt,
      int n,
      float[] w,
      int wAt,
      int step,
      float slope,
      float[] out,
      int column,
      int lanes) {
    VectorMask<Float> mask = F.indexInRange(0, lanes);
    FloatVector n0 = FloatVector.fromMemorySegment(F, near, nearAt + 4L * column, LE, mask);
    FloatVector a0 = FloatVector.fromArray(F, out, column, mask);
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + 4L * column;
      float gradient = w[wAt + i * step];
      FloatVector z = n0.add(FloatVector.fromMemorySegment(F, x, at, LE, mask));
      FloatVector below = FloatVector.broadcast(F, slope * gradient);
      a0 = a0.add(below.blend(gradient, z.compare(VectorOperators.GT, 0)));
    }
    a0.intoArray(out, column, mask);
  }
}
