package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
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
  private static final long V = F.vectorByteSize();

  private SimdHeadSums() {}

  /** Adds {@code Σ_i weight[i] · far[j]} to the target row. */
  static void weighted(AttentionPass p, int row, long first, int n, long at) {
    AttentionBuffers b = p.buffers();
    Matrix far = p.far();
    MemorySegment x = far.data();
    MemorySegment ids = p.arcs().ids();
    MemorySegment w = p.scratch();
    MemorySegment out = p.target().data();
    long stride = (long) far.stride() * Float.BYTES;
    long idAt = first * Integer.BYTES;
    long outAt = p.target().offset(row);
    boolean add = p.adds(row, first);
    if (!wholeVectors(p.heads())) {
      int width = p.heads().width();
      for (int h = 0; h < p.heads().count(); h++) {
        long wAt = at + b.weights() + 4L * h;
        for (int c = 0; c < width; c += Simd.LANES) {
          VectorMask<Float> lanes = F.indexInRange(c, width);
          long column = 4L * (h * width + c);
          masked(x, ids, w, stride, idAt, wAt, b.headBytes(), n, out, outAt, column, lanes, add);
        }
      }
      return;
    }
    long step = spreadStep(b);
    long wAt = spread(p, n, at, b.weights());
    int vectors = Simd.vectors(p.heads().columns());
    int c = 0;
    for (; c + 8 <= vectors; c += 8) {
      tile8(x, ids, w, stride, idAt, wAt + 4L * c, step, n, out, outAt, c * V, add);
    }
    if (c + 4 <= vectors) {
      tile4(x, ids, w, stride, idAt, wAt + 4L * c, step, n, out, outAt, c * V, add);
      c += 4;
    }
    for (; c < vectors; c++) {
      tile1(x, ids, w, stride, idAt, wAt + 4L * c, step, n, out, outAt, c * V, add);
    }
  }

  /** Adds {@code Σ_i gradient[i] · leaky'(near + far[j])} to the row's slopes. */
  static void slopes(AttentionPass p, int row, long first, int n, long at) {
    AttentionBuffers b = p.buffers();
    MemorySegment near = p.scoreNear().data();
    MemorySegment x = p.scoreFar().data();
    MemorySegment ids = p.arcs().ids();
    MemorySegment w = p.scratch();
    long nearAt = p.scoreNear().offset(row);
    long stride = (long) p.scoreFar().stride() * Float.BYTES;
    long idAt = first * Integer.BYTES;
    long outAt = at + b.slopes();
    float slope = p.slope();
    boolean add = !p.starts(row, first);
    if (!wholeVectors(p.heads())) {
      int width = p.heads().width();
      for (int h = 0; h < p.heads().count(); h++) {
        long wAt = at + b.scores() + 4L * h;
        for (int c = 0; c < width; c += Simd.LANES) {
          VectorMask<Float> lanes = F.indexInRange(c, width);
          long column = 4L * (h * width + c);
          maskedSlope(
              near,
              nearAt,
              x,
              ids,
              w,
              stride,
              idAt,
              wAt,
              b.headBytes(),
              n,
              outAt,
              column,
              slope,
              lanes,
              add);
        }
      }
      return;
    }
    long step = spreadStep(b);
    long wAt = spread(p, n, at, b.scores());
    int vectors = Simd.vectors(p.heads().columns());
    int c = 0;
    for (; c + 4 <= vectors; c += 4) {
      slope4(
          near, nearAt, x, ids, w, stride, idAt, wAt + 4L * c, step, n, outAt, c * V, slope, add);
    }
    for (; c < vectors; c++) {
      slope1(
          near, nearAt, x, ids, w, stride, idAt, wAt + 4L * c, step, n, outAt, c * V, slope, add);
    }
  }

  /** Whether no vector of a row reaches into two heads; a single head may end in padding. */
  private static boolean wholeVectors(Heads heads) {
    return heads.count() == 1 || heads.width() % Simd.LANES == 0;
  }

  private static int vectorsPerHead(Heads heads) {
    return Simd.vectors(heads.width());
  }

  /** Bytes from an arc's first coefficient to the next arc's, as {@link #spread} leaves them. */
  private static long spreadStep(AttentionBuffers b) {
    return vectorsPerHead(b.heads()) == 1 ? b.headBytes() : b.spreadBytes();
  }

  /** Repeats the coefficients of heads for each of their vectors; returns where they now are. */
  private static long spread(AttentionPass p, int n, long at, long values) {
    AttentionBuffers b = p.buffers();
    int perHead = vectorsPerHead(p.heads());
    if (perHead == 1) {
      return at + values;
    }
    MemorySegment scratch = p.scratch();
    int count = p.heads().count();
    for (int i = 0; i < n; i++) {
      long from = at + values + i * b.headBytes();
      long to = at + b.spread() + i * b.spreadBytes();
      for (int h = 0; h < count; h++) {
        float value = scratch.get(JAVA_FLOAT, from + 4L * h);
        for (int c = 0; c < perHead; c++, to += Float.BYTES) {
          scratch.set(JAVA_FLOAT, to, value);
        }
      }
    }
    return at + b.spread();
  }

  private static void tile8(
      MemorySegment x,
      MemorySegment ids,
      MemorySegment w,
      long stride,
      long idAt,
      long wAt,
      long step,
      int n,
      MemorySegment out,
      long outAt,
      long column,
      boolean add) {
    long to = outAt + column;
    FloatVector a0 = FloatVector.zero(F);
    FloatVector a1 = a0;
    FloatVector a2 = a0;
    FloatVector a3 = a0;
    FloatVector a4 = a0;
    FloatVector a5 = a0;
    FloatVector a6 = a0;
    FloatVector a7 = a0;
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + column;
      long weight = wAt + i * step;
      a0 = coefficient(w, weight).fma(FloatVector.fromMemorySegment(F, x, at, LE), a0);
      a1 = coefficient(w, weight + 4).fma(FloatVector.fromMemorySegment(F, x, at + V, LE), a1);
      a2 = coefficient(w, weight + 8).fma(FloatVector.fromMemorySegment(F, x, at + 2 * V, LE), a2);
      a3 = coefficient(w, weight + 12).fma(FloatVector.fromMemorySegment(F, x, at + 3 * V, LE), a3);
      a4 = coefficient(w, weight + 16).fma(FloatVector.fromMemorySegment(F, x, at + 4 * V, LE), a4);
      a5 = coefficient(w, weight + 20).fma(FloatVector.fromMemorySegment(F, x, at + 5 * V, LE), a5);
      a6 = coefficient(w, weight + 24).fma(FloatVector.fromMemorySegment(F, x, at + 6 * V, LE), a6);
      a7 = coefficient(w, weight + 28).fma(FloatVector.fromMemorySegment(F, x, at + 7 * V, LE), a7);
    }
    store(a0, out, to, add);
    store(a1, out, to + V, add);
    store(a2, out, to + 2 * V, add);
    store(a3, out, to + 3 * V, add);
    store(a4, out, to + 4 * V, add);
    store(a5, out, to + 5 * V, add);
    store(a6, out, to + 6 * V, add);
    store(a7, out, to + 7 * V, add);
  }

  private static void tile4(
      MemorySegment x,
      MemorySegment ids,
      MemorySegment w,
      long stride,
      long idAt,
      long wAt,
      long step,
      int n,
      MemorySegment out,
      long outAt,
      long column,
      boolean add) {
    long to = outAt + column;
    FloatVector a0 = FloatVector.zero(F);
    FloatVector a1 = a0;
    FloatVector a2 = a0;
    FloatVector a3 = a0;
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + column;
      long weight = wAt + i * step;
      a0 = coefficient(w, weight).fma(FloatVector.fromMemorySegment(F, x, at, LE), a0);
      a1 = coefficient(w, weight + 4).fma(FloatVector.fromMemorySegment(F, x, at + V, LE), a1);
      a2 = coefficient(w, weight + 8).fma(FloatVector.fromMemorySegment(F, x, at + 2 * V, LE), a2);
      a3 = coefficient(w, weight + 12).fma(FloatVector.fromMemorySegment(F, x, at + 3 * V, LE), a3);
    }
    store(a0, out, to, add);
    store(a1, out, to + V, add);
    store(a2, out, to + 2 * V, add);
    store(a3, out, to + 3 * V, add);
  }

  private static void tile1(
      MemorySegment x,
      MemorySegment ids,
      MemorySegment w,
      long stride,
      long idAt,
      long wAt,
      long step,
      int n,
      MemorySegment out,
      long outAt,
      long column,
      boolean add) {
    FloatVector a0 = FloatVector.zero(F);
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + column;
      a0 = coefficient(w, wAt + i * step).fma(FloatVector.fromMemorySegment(F, x, at, LE), a0);
    }
    store(a0, out, outAt + column, add);
  }

  private static void masked(
      MemorySegment x,
      MemorySegment ids,
      MemorySegment w,
      long stride,
      long idAt,
      long wAt,
      long step,
      int n,
      MemorySegment out,
      long outAt,
      long column,
      VectorMask<Float> lanes,
      boolean add) {
    FloatVector a0 = FloatVector.zero(F);
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + column;
      a0 =
          coefficient(w, wAt + i * step)
              .fma(FloatVector.fromMemorySegment(F, x, at, LE, lanes), a0);
    }
    store(a0, out, outAt + column, lanes, add);
  }

  private static void slope4(
      MemorySegment near,
      long nearAt,
      MemorySegment x,
      MemorySegment ids,
      MemorySegment w,
      long stride,
      long idAt,
      long wAt,
      long step,
      int n,
      long outAt,
      long column,
      float slope,
      boolean add) {
    long to = outAt + column;
    long from = nearAt + column;
    FloatVector a0 = FloatVector.zero(F);
    FloatVector a1 = a0;
    FloatVector a2 = a0;
    FloatVector a3 = a0;
    FloatVector n0 = FloatVector.fromMemorySegment(F, near, from, LE);
    FloatVector n1 = FloatVector.fromMemorySegment(F, near, from + V, LE);
    FloatVector n2 = FloatVector.fromMemorySegment(F, near, from + 2 * V, LE);
    FloatVector n3 = FloatVector.fromMemorySegment(F, near, from + 3 * V, LE);
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + column;
      long weight = wAt + i * step;
      a0 = a0.add(sloped(n0, x, at, coefficient(w, weight), slope));
      a1 = a1.add(sloped(n1, x, at + V, coefficient(w, weight + 4), slope));
      a2 = a2.add(sloped(n2, x, at + 2 * V, coefficient(w, weight + 8), slope));
      a3 = a3.add(sloped(n3, x, at + 3 * V, coefficient(w, weight + 12), slope));
    }
    store(a0, w, to, add);
    store(a1, w, to + V, add);
    store(a2, w, to + 2 * V, add);
    store(a3, w, to + 3 * V, add);
  }

  private static void slope1(
      MemorySegment near,
      long nearAt,
      MemorySegment x,
      MemorySegment ids,
      MemorySegment w,
      long stride,
      long idAt,
      long wAt,
      long step,
      int n,
      long outAt,
      long column,
      float slope,
      boolean add) {
    FloatVector a0 = FloatVector.zero(F);
    FloatVector n0 = FloatVector.fromMemorySegment(F, near, nearAt + column, LE);
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + column;
      a0 = a0.add(sloped(n0, x, at, coefficient(w, wAt + i * step), slope));
    }
    store(a0, w, outAt + column, add);
  }

  private static void maskedSlope(
      MemorySegment near,
      long nearAt,
      MemorySegment x,
      MemorySegment ids,
      MemorySegment w,
      long stride,
      long idAt,
      long wAt,
      long step,
      int n,
      long outAt,
      long column,
      float slope,
      VectorMask<Float> lanes,
      boolean add) {
    FloatVector a0 = FloatVector.zero(F);
    FloatVector n0 = FloatVector.fromMemorySegment(F, near, nearAt + column, LE, lanes);
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + column;
      FloatVector z = n0.add(FloatVector.fromMemorySegment(F, x, at, LE, lanes));
      a0 = a0.add(sloped(z, coefficient(w, wAt + i * step), slope));
    }
    store(a0, w, outAt + column, lanes, add);
  }

  /** {@code gradient · leaky'(near + x)}. */
  private static FloatVector sloped(
      FloatVector near, MemorySegment x, long at, FloatVector gradient, float slope) {
    return sloped(near.add(FloatVector.fromMemorySegment(F, x, at, LE)), gradient, slope);
  }

  private static FloatVector sloped(FloatVector z, FloatVector gradient, float slope) {
    return gradient.mul(slope).blend(gradient, z.compare(VectorOperators.GT, 0));
  }

  private static FloatVector coefficient(MemorySegment w, long at) {
    return FloatVector.broadcast(F, w.get(JAVA_FLOAT, at));
  }

  // Two branches that store: a vector chosen by a branch would be an object.

  private static void store(FloatVector sum, MemorySegment out, long at, boolean add) {
    if (add) {
      sum.add(FloatVector.fromMemorySegment(F, out, at, LE)).intoMemorySegment(out, at, LE);
    } else {
      sum.intoMemorySegment(out, at, LE);
    }
  }

  private static void store(
      FloatVector sum, MemorySegment out, long at, VectorMask<Float> lanes, boolean add) {
    if (add) {
      sum.add(FloatVector.fromMemorySegment(F, out, at, LE, lanes))
          .intoMemorySegment(out, at, LE, lanes);
    } else {
      sum.intoMemorySegment(out, at, LE, lanes);
    }
  }
}
