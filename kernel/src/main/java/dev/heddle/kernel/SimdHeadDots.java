package dev.heddle.kernel;

import static dev.heddle.kernel.RawMemory.ADDRESS;
import static dev.heddle.kernel.RawMemory.ALL;
import static dev.heddle.kernel.RawMemory.STRIDE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Products of rows by the Vector API, one value per head: whole vectors first, then the columns
 * that are left of a head under a mask.
 *
 * <p>Over arcs, a head's part of the near row stays in registers while all arcs of the chunk are
 * walked: so short a loop has many gathered rows on their way at once, which one that takes whole
 * rows has not, and was twice as fast. Whole vectors are read from {@link RawMemory}, with one
 * check per arc. Lanes are summed as in {@link LaneSum}.
 */
final class SimdHeadDots {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final int LANES = Simd.LANES;
  private static final long V = F.vectorByteSize();

  private SimdHeadDots() {}

  /** {@code a[r] · b[r]}. */
  static void rows(HeadDots d, int from, int to) {
    int width = d.heads().width();
    for (int row = from; row < to; row++) {
      long a = d.a().offset(row);
      long b = d.b().offset(d.rowOfB(row));
      long out = d.out().offset(row) + d.column();
      for (int h = 0; h < d.heads().count(); h++) {
        long k = 4L * h * width;
        float dot = dot(d.a().data(), a + k, d.b().data(), b + k, width);
        d.out().data().set(JAVA_FLOAT, out + 4L * h, dot);
      }
    }
  }

  /** {@code near[w] · far[j]} of a chunk's arcs. */
  static void arcs(AttentionPass p, ArcChunk c) {
    int width = c.heads().width();
    Arrays.fill(c.dots, 0, c.n() * c.stride, 0);
    for (int h = 0; h < c.heads().count(); h++) {
      int col = h * width;
      int end = col + width;
      for (; col + 4 * LANES <= end; col += 4 * LANES) {
        dot4(p, c, h, 4L * col);
      }
      for (; col + LANES <= end; col += LANES) {
        dot1(p, c, h, 4L * col);
      }
      if (col < end) {
        dotMasked(p, c, h, 4L * col, end - col);
      }
    }
  }

  /** {@code a · leaky(near[w] + far[j])} of a chunk's arcs. */
  static void leaky(AttentionPass p, ArcChunk c) {
    int width = c.heads().width();
    Arrays.fill(c.scores, 0, c.n() * c.stride, 0);
    for (int h = 0; h < c.heads().count(); h++) {
      int col = h * width;
      int end = col + width;
      for (; col + 4 * LANES <= end; col += 4 * LANES) {
        leaky4(p, c, h, 4L * col);
      }
      for (; col + LANES <= end; col += LANES) {
        leaky1(p, c, h, 4L * col);
      }
      if (col < end) {
        leakyMasked(p, c, h, 4L * col, end - col);
      }
    }
  }

  private static float dot(MemorySegment a, long aAt, MemorySegment b, long bAt, int width) {
    FloatVector even = FloatVector.zero(F);
    FloatVector odd = even;
    int c = 0;
    for (; c + 2 * LANES <= width; c += 2 * LANES) {
      long k = 4L * c;
      even = fromMemorySegment(F, a, aAt + k, LE).fma(fromMemorySegment(F, b, bAt + k, LE), even);
      odd =
          fromMemorySegment(F, a, aAt + k + V, LE)
              .fma(fromMemorySegment(F, b, bAt + k + V, LE), odd);
    }
    if (c + LANES <= width) {
      long k = 4L * c;
      even = fromMemorySegment(F, a, aAt + k, LE).fma(fromMemorySegment(F, b, bAt + k, LE), even);
      c += LANES;
    }
    if (c < width) {
      long k = 4L * c;
      VectorMask<Float> rest = F.indexInRange(c, width);
      odd =
          fromMemorySegment(F, a, aAt + k, LE, rest)
              .fma(fromMemorySegment(F, b, bAt + k, LE, rest), odd);
    }
    FloatVector sum = even.add(odd);
    if (LANES == 8) {
      sum = sum.add(sum.rearrange(LaneSum.FOURS));
    }
    sum = sum.add(sum.rearrange(LaneSum.TWOS));
    return sum.add(sum.rearrange(LaneSum.ONES)).lane(0);
  }

  private static void dot4(AttentionPass p, ArcChunk c, int head, long k) {
    long id = (p.arcs().ids().address() + 4 * c.first()) & ADDRESS;
    long near = (p.near().address(c.row()) + k) & ADDRESS;
    long far = (p.far().address(0) + k) & ADDRESS;
    long stride = 4L * p.far().stride() & STRIDE;
    int rows = p.far().rows();
    float[] out = c.dots;
    int step = c.stride;
    int n = c.n();
    FloatVector n0 = fromMemorySegment(F, ALL, near, LE);
    FloatVector n1 = fromMemorySegment(F, ALL, near + V, LE);
    FloatVector n2 = fromMemorySegment(F, ALL, near + 2 * V, LE);
    FloatVector n3 = fromMemorySegment(F, ALL, near + 3 * V, LE);
    for (int i = 0; i < n; i++) {
      long at = far + Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), rows) * stride;
      FloatVector sum = n0.mul(fromMemorySegment(F, ALL, at, LE));
      sum = n1.fma(fromMemorySegment(F, ALL, at + V, LE), sum);
      sum = n2.fma(fromMemorySegment(F, ALL, at + 2 * V, LE), sum);
      sum = n3.fma(fromMemorySegment(F, ALL, at + 3 * V, LE), sum);
      if (LANES == 8) {
        sum = sum.add(sum.rearrange(LaneSum.FOURS));
      }
      sum = sum.add(sum.rearrange(LaneSum.TWOS));
      out[head + i * step] += sum.add(sum.rearrange(LaneSum.ONES)).lane(0);
    }
  }

  private static void dot1(AttentionPass p, ArcChunk c, int head, long k) {
    long id = (p.arcs().ids().address() + 4 * c.first()) & ADDRESS;
    long near = (p.near().address(c.row()) + k) & ADDRESS;
    long far = (p.far().address(0) + k) & ADDRESS;
    long stride = 4L * p.far().stride() & STRIDE;
    int rows = p.far().rows();
    float[] out = c.dots;
    int step = c.stride;
    int n = c.n();
    FloatVector n0 = fromMemorySegment(F, ALL, near, LE);
    for (int i = 0; i < n; i++) {
      long at = far + Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), rows) * stride;
      FloatVector sum = n0.mul(fromMemorySegment(F, ALL, at, LE));
      if (LANES == 8) {
        sum = sum.add(sum.rearrange(LaneSum.FOURS));
      }
      sum = sum.add(sum.rearrange(LaneSum.TWOS));
      out[head + i * step] += sum.add(sum.rearrange(LaneSum.ONES)).lane(0);
    }
  }

  private static void dotMasked(AttentionPass p, ArcChunk c, int head, long k, int lanes) {
    MemorySegment near = p.near().data();
    MemorySegment far = p.far().data();
    MemorySegment ids = p.arcs().ids();
    long nearAt = p.near().offset(c.row()) + k;
    long stride = (long) p.far().stride() * Float.BYTES;
    long idAt = c.first() * Integer.BYTES;
    float[] out = c.dots;
    int step = c.stride;
    int n = c.n();
    VectorMask<Float> mask = F.indexInRange(0, lanes);
    FloatVector n0 = fromMemorySegment(F, near, nearAt, LE, mask);
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + k;
      FloatVector sum = n0.mul(fromMemorySegment(F, far, at, LE, mask));
      if (LANES == 8) {
        sum = sum.add(sum.rearrange(LaneSum.FOURS));
      }
      sum = sum.add(sum.rearrange(LaneSum.TWOS));
      out[head + i * step] += sum.add(sum.rearrange(LaneSum.ONES)).lane(0);
    }
  }

  private static void leaky4(AttentionPass p, ArcChunk c, int head, long k) {
    long id = (p.arcs().ids().address() + 4 * c.first()) & ADDRESS;
    long near = (p.scoreNear().address(c.row()) + k) & ADDRESS;
    long far = (p.scoreFar().address(0) + k) & ADDRESS;
    long stride = 4L * p.scoreFar().stride() & STRIDE;
    int rows = p.scoreFar().rows();
    long vector = (p.vector().address(0) + k) & ADDRESS;
    float slope = p.slope();
    float[] out = c.scores;
    int step = c.stride;
    int n = c.n();
    FloatVector n0 = fromMemorySegment(F, ALL, near, LE);
    FloatVector n1 = fromMemorySegment(F, ALL, near + V, LE);
    FloatVector n2 = fromMemorySegment(F, ALL, near + 2 * V, LE);
    FloatVector n3 = fromMemorySegment(F, ALL, near + 3 * V, LE);
    FloatVector a0 = fromMemorySegment(F, ALL, vector, LE);
    FloatVector a1 = fromMemorySegment(F, ALL, vector + V, LE);
    FloatVector a2 = fromMemorySegment(F, ALL, vector + 2 * V, LE);
    FloatVector a3 = fromMemorySegment(F, ALL, vector + 3 * V, LE);
    for (int i = 0; i < n; i++) {
      long at = far + Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), rows) * stride;
      FloatVector z0 = n0.add(fromMemorySegment(F, ALL, at, LE));
      FloatVector z1 = n1.add(fromMemorySegment(F, ALL, at + V, LE));
      FloatVector z2 = n2.add(fromMemorySegment(F, ALL, at + 2 * V, LE));
      FloatVector z3 = n3.add(fromMemorySegment(F, ALL, at + 3 * V, LE));
      z0 = z0.mul(slope).blend(z0, z0.compare(VectorOperators.GT, 0));
      z1 = z1.mul(slope).blend(z1, z1.compare(VectorOperators.GT, 0));
      z2 = z2.mul(slope).blend(z2, z2.compare(VectorOperators.GT, 0));
      z3 = z3.mul(slope).blend(z3, z3.compare(VectorOperators.GT, 0));
      FloatVector sum = a0.mul(z0);
      sum = a1.fma(z1, sum);
      sum = a2.fma(z2, sum);
      sum = a3.fma(z3, sum);
      if (LANES == 8) {
        sum = sum.add(sum.rearrange(LaneSum.FOURS));
      }
      sum = sum.add(sum.rearrange(LaneSum.TWOS));
      out[head + i * step] += sum.add(sum.rearrange(LaneSum.ONES)).lane(0);
    }
  }

  private static void leaky1(AttentionPass p, ArcChunk c, int head, long k) {
    long id = (p.arcs().ids().address() + 4 * c.first()) & ADDRESS;
    long near = (p.scoreNear().address(c.row()) + k) & ADDRESS;
    long far = (p.scoreFar().address(0) + k) & ADDRESS;
    long stride = 4L * p.scoreFar().stride() & STRIDE;
    int rows = p.scoreFar().rows();
    long vector = (p.vector().address(0) + k) & ADDRESS;
    float slope = p.slope();
    float[] out = c.scores;
    int step = c.stride;
    int n = c.n();
    FloatVector n0 = fromMemorySegment(F, ALL, near, LE);
    FloatVector a0 = fromMemorySegment(F, ALL, vector, LE);
    for (int i = 0; i < n; i++) {
      long at = far + Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), rows) * stride;
      FloatVector z0 = n0.add(fromMemorySegment(F, ALL, at, LE));
      z0 = z0.mul(slope).blend(z0, z0.compare(VectorOperators.GT, 0));
      FloatVector sum = a0.mul(z0);
      if (LANES == 8) {
        sum = sum.add(sum.rearrange(LaneSum.FOURS));
      }
      sum = sum.add(sum.rearrange(LaneSum.TWOS));
      out[head + i * step] += sum.add(sum.rearrange(LaneSum.ONES)).lane(0);
    }
  }

  private static void leakyMasked(AttentionPass p, ArcChunk c, int head, long k, int lanes) {
    MemorySegment near = p.scoreNear().data();
    MemorySegment far = p.scoreFar().data();
    MemorySegment ids = p.arcs().ids();
    long nearAt = p.scoreNear().offset(c.row()) + k;
    long stride = (long) p.scoreFar().stride() * Float.BYTES;
    long idAt = c.first() * Integer.BYTES;
    MemorySegment vector = p.vector().data();
    float slope = p.slope();
    float[] out = c.scores;
    int step = c.stride;
    int n = c.n();
    VectorMask<Float> mask = F.indexInRange(0, lanes);
    FloatVector n0 = fromMemorySegment(F, near, nearAt, LE, mask);
    FloatVector a0 = fromMemorySegment(F, vector, k, LE, mask);
    for (int i = 0; i < n; i++) {
      long at = ids.get(JAVA_INT, idAt + 4L * i) * stride + k;
      FloatVector z0 = n0.add(fromMemorySegment(F, far, at, LE, mask));
      z0 = z0.mul(slope).blend(z0, z0.compare(VectorOperators.GT, 0));
      FloatVector sum = a0.mul(z0);
      if (LANES == 8) {
        sum = sum.add(sum.rearrange(LaneSum.FOURS));
      }
      sum = sum.add(sum.rearrange(LaneSum.TWOS));
      out[head + i * step] += sum.add(sum.rearrange(LaneSum.ONES)).lane(0);
    }
  }
}
