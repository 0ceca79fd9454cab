package dev.heddle.kernel;

import static dev.heddle.kernel.RawMemory.ADDRESS;
import static dev.heddle.kernel.RawMemory.ALL;
import static dev.heddle.kernel.RawMemory.STRIDE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Objects;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * What the gradients of scores add up to in every column of a row, where the leaky rectifier came
 * before the attention vector; tiles are those of {@link SimdHeadSums}.
 */
final class SimdHeadSlopes {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final int LANES = Simd.LANES;
  private static final long V = F.vectorByteSize();

  private SimdHeadSlopes() {}

  /** Adds {@code Σ_i gradient[i] · leaky'(near[w] + far[j])} to the row's slopes. */
  static void add(AttentionPass p, ArcChunk c) {
    int width = c.heads().width();
    if (!SimdHeadSums.wholeVectors(c.heads())) {
      for (int h = 0; h < c.heads().count(); h++) {
        for (int d = 0; d < width; d += LANES) {
          maskedSlope(p, c, h, h * width + d, Math.min(LANES, width - d));
        }
      }
      return;
    }
    boolean spread = width > LANES;
    float[] w = spread ? SimdHeadSums.spread(c, c.scores) : c.scores;
    int step = spread ? c.spreadStride : c.stride;
    int vectors = Simd.vectors(c.heads().columns());
    int v = 0;
    for (; v + 4 <= vectors; v += 4) {
      slope4(p, c, w, v, step);
    }
    for (; v < vectors; v++) {
      slope1(p, c, w, v, step);
    }
  }

  private static void slope4(AttentionPass p, ArcChunk c, float[] w, int v, int step) {
    long id = (p.arcs().ids().address() + 4 * c.first()) & ADDRESS;
    long near = (p.scoreNear().address(c.row()) + v * V) & ADDRESS;
    long far = (p.scoreFar().address(0) + v * V) & ADDRESS;
    long stride = 4L * p.scoreFar().stride() & STRIDE;
    int rows = p.scoreFar().rows();
    float slope = p.slope();
    float[] out = c.slopes;
    int column = v * LANES;
    int n = c.n();
    FloatVector n0 = fromMemorySegment(F, ALL, near, LE);
    FloatVector n1 = fromMemorySegment(F, ALL, near + V, LE);
    FloatVector n2 = fromMemorySegment(F, ALL, near + 2 * V, LE);
    FloatVector n3 = fromMemorySegment(F, ALL, near + 3 * V, LE);
    FloatVector a0 = FloatVector.fromArray(F, out, column);
    FloatVector a1 = FloatVector.fromArray(F, out, column + LANES);
    FloatVector a2 = FloatVector.fromArray(F, out, column + 2 * LANES);
    FloatVector a3 = FloatVector.fromArray(F, out, column + 3 * LANES);
    for (int i = 0; i < n; i++) {
      long at = far + Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), rows) * stride;
      int b = v + i * step;
      FloatVector z0 = n0.add(fromMemorySegment(F, ALL, at, LE));
      FloatVector z1 = n1.add(fromMemorySegment(F, ALL, at + V, LE));
      FloatVector z2 = n2.add(fromMemorySegment(F, ALL, at + 2 * V, LE));
      FloatVector z3 = n3.add(fromMemorySegment(F, ALL, at + 3 * V, LE));
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

  private static void slope1(AttentionPass p, ArcChunk c, float[] w, int v, int step) {
    long id = (p.arcs().ids().address() + 4 * c.first()) & ADDRESS;
    long near = (p.scoreNear().address(c.row()) + v * V) & ADDRESS;
    long far = (p.scoreFar().address(0) + v * V) & ADDRESS;
    long stride = 4L * p.scoreFar().stride() & STRIDE;
    int rows = p.scoreFar().rows();
    float slope = p.slope();
    float[] out = c.slopes;
    int column = v * LANES;
    int n = c.n();
    FloatVector n0 = fromMemorySegment(F, ALL, near, LE);
    FloatVector a0 = FloatVector.fromArray(F, out, column);
    for (int i = 0; i < n; i++) {
      long at = far + Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), rows) * stride;
      float gradient = w[v + i * step];
      FloatVector z = n0.add(fromMemorySegment(F, ALL, at, LE));
      FloatVector below = FloatVector.broadcast(F, slope * gradient);
      a0 = a0.add(below.blend(gradient, z.compare(VectorOperators.GT, 0)));
    }
    a0.intoArray(out, column);
  }

  private static void maskedSlope(AttentionPass p, ArcChunk c, int head, int column, int lanes) {
    MemorySegment near = p.scoreNear().data();
    MemorySegment x = p.scoreFar().data();
    MemorySegment ids = p.arcs().ids();
    long nearAt = p.scoreNear().offset(c.row());
    long stride = (long) p.scoreFar().stride() * Float.BYTES;
    long idAt = c.first() * Integer.BYTES;
    float slope = p.slope();
    float[] out = c.slopes;
    int n = c.n();
    VectorMask<Float> mask = F.indexInRange(0, lanes);
    FloatVector n0 = fromMemorySegment(F, near, nearAt + 4L * column, LE, mask);
    FloatVector a0 = FloatVector.fromArray(F, out, column, mask);
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + 4L * column;
      float gradient = c.scores[head + i * c.stride];
      FloatVector z = n0.add(fromMemorySegment(F, x, at, LE, mask));
      FloatVector below = FloatVector.broadcast(F, slope * gradient);
      a0 = a0.add(below.blend(gradient, z.compare(VectorOperators.GT, 0)));
    }
    a0.intoArray(out, column, mask);
  }
}
