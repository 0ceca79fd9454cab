package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Vector operations on one row or two, head by head: whole vectors first, then the columns that are
 * left of a head under a mask.
 */
final class SimdHeads {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final long V = F.vectorByteSize();

  private SimdHeads() {}

  /** The lanes of the columns that whole vectors leave of a head. */
  static VectorMask<Float> rest(int width) {
    return F.indexInRange(0, width % Simd.LANES);
  }

  /** {@code z} where positive, else {@code slope · z}. */
  static FloatVector leaky(FloatVector z, float slope) {
    return z.mul(slope).blend(z, z.compare(VectorOperators.GT, 0));
  }

  /** Dot products of two rows, one value per head into {@code out}. */
  static void dots(
      MemorySegment a,
      long aAt,
      MemorySegment b,
      long bAt,
      int count,
      int width,
      MemorySegment out,
      long outAt) {
    for (int h = 0; h < count; h++) {
      long k = 4L * h * width;
      float dot = dot(a, aAt + k, b, bAt + k, width);
      out.set(JAVA_FLOAT, outAt + 4L * h, dot);
    }
  }

  private static float dot(MemorySegment a, long aAt, MemorySegment b, long bAt, int width) {
    FloatVector even = FloatVector.zero(F);
    FloatVector odd = even;
    int c = 0;
    for (; c + 2 * Simd.LANES <= width; c += 2 * Simd.LANES) {
      long k = 4L * c;
      even =
          FloatVector.fromMemorySegment(F, a, aAt + k, LE)
              .fma(FloatVector.fromMemorySegment(F, b, bAt + k, LE), even);
      odd =
          FloatVector.fromMemorySegment(F, a, aAt + k + V, LE)
              .fma(FloatVector.fromMemorySegment(F, b, bAt + k + V, LE), odd);
    }
    if (c + Simd.LANES <= width) {
      long k = 4L * c;
      even =
          FloatVector.fromMemorySegment(F, a, aAt + k, LE)
              .fma(FloatVector.fromMemorySegment(F, b, bAt + k, LE), even);
      c += Simd.LANES;
    }
    if (c < width) {
      long k = 4L * c;
      VectorMask<Float> rest = rest(width);
      odd =
          FloatVector.fromMemorySegment(F, a, aAt + k, LE, rest)
              .fma(FloatVector.fromMemorySegment(F, b, bAt + k, LE, rest), odd);
    }
    return LaneSum.of(even.add(odd));
  }

  /** {@code vector · leaky(a + b)} of two rows, one value per head into {@code out}. */
  static void leakyDots(
      MemorySegment a,
      long aAt,
      MemorySegment b,
      long bAt,
      MemorySegment vector,
      float slope,
      int count,
      int width,
      MemorySegment out,
      long outAt) {
    for (int h = 0; h < count; h++) {
      long k = 4L * h * width;
      float dot = leakyDot(a, aAt + k, b, bAt + k, vector, k, slope, width);
      out.set(JAVA_FLOAT, outAt + 4L * h, dot);
    }
  }

  private static float leakyDot(
      MemorySegment a,
      long aAt,
      MemorySegment b,
      long bAt,
      MemorySegment vector,
      long vectorAt,
      float slope,
      int width) {
    FloatVector sum = FloatVector.zero(F);
    int c = 0;
    for (; c + Simd.LANES <= width; c += Simd.LANES) {
      long k = 4L * c;
      FloatVector z =
          FloatVector.fromMemorySegment(F, a, aAt + k, LE)
              .add(FloatVector.fromMemorySegment(F, b, bAt + k, LE));
      sum = leaky(z, slope).fma(FloatVector.fromMemorySegment(F, vector, vectorAt + k, LE), sum);
    }
    if (c < width) {
      long k = 4L * c;
      VectorMask<Float> rest = rest(width);
      FloatVector z =
          FloatVector.fromMemorySegment(F, a, aAt + k, LE, rest)
              .add(FloatVector.fromMemorySegment(F, b, bAt + k, LE, rest));
      sum =
          leaky(z, slope)
              .fma(FloatVector.fromMemorySegment(F, vector, vectorAt + k, LE, rest), sum);
    }
    return LaneSum.of(sum);
  }

  /** Multiplies the heads of a row by one factor each. */
  static void scale(Matrix m, int row, Heads heads, MemorySegment factors, long factorsAt) {
    MemorySegment data = m.data();
    int width = heads.width();
    for (int h = 0; h < heads.count(); h++) {
      long at = m.offset(row) + 4L * h * width;
      float factor = factors.get(JAVA_FLOAT, factorsAt + 4L * h);
      int c = 0;
      for (; c + Simd.LANES <= width; c += Simd.LANES) {
        long k = at + 4L * c;
        FloatVector.fromMemorySegment(F, data, k, LE).mul(factor).intoMemorySegment(data, k, LE);
      }
      if (c < width) {
        long k = at + 4L * c;
        VectorMask<Float> rest = rest(width);
        FloatVector.fromMemorySegment(F, data, k, LE, rest)
            .mul(factor)
            .intoMemorySegment(data, k, LE, rest);
      }
    }
  }

  /** Sets the columns of one head. */
  static void fill(MemorySegment data, long at, int width, float value) {
    FloatVector v = FloatVector.broadcast(F, value);
    int c = 0;
    for (; c + Simd.LANES <= width; c += Simd.LANES) {
      v.intoMemorySegment(data, at + 4L * c, LE);
    }
    if (c < width) {
      v.intoMemorySegment(data, at + 4L * c, LE, rest(width));
    }
  }
}
