package dev.heddle.kernel;

import static dev.heddle.kernel.RawMemory.ALL;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Objects;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/**
 * Updates by the Vector API. The loops are bound by memory: one vector at a time keeps all
 * constants in registers and needs no tails, because rows are padded to whole vectors.
 */
final class SimdUpdate implements UpdateKernels {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;

  /**
   * Operands are checked before the loop, which reads addresses: with a check for each of seven
   * accesses its compilation took 28 MB, when all of a model's memory is in use already.
   */
  @Override
  public void adam(AdamUpdate u, long first, int count) {
    long value = address(u.value(), first, count);
    long grad = address(u.grad(), first, count);
    long mean = address(u.mean(), first, count);
    long square = address(u.square(), first, count);
    FloatVector gradientDecay = FloatVector.broadcast(F, u.gradientDecay());
    FloatVector valueKept = FloatVector.broadcast(F, u.valueKept());
    FloatVector meanWeight = FloatVector.broadcast(F, u.meanWeight());
    FloatVector squareKept = FloatVector.broadcast(F, u.squareKept());
    FloatVector squareWeight = FloatVector.broadcast(F, u.squareWeight());
    FloatVector epsilon = FloatVector.broadcast(F, u.correctedEpsilon());
    FloatVector rate = FloatVector.broadcast(F, -u.rate());
    for (int i = 0; i < count; i += Simd.LANES) {
      long at = 4L * i;
      FloatVector p = FloatVector.fromMemorySegment(F, ALL, value + at, LE);
      FloatVector g = gradientDecay.fma(p, FloatVector.fromMemorySegment(F, ALL, grad + at, LE));
      FloatVector m = FloatVector.fromMemorySegment(F, ALL, mean + at, LE);
      FloatVector v = FloatVector.fromMemorySegment(F, ALL, square + at, LE);
      m = meanWeight.fma(g.sub(m), m);
      v = squareWeight.fma(g.mul(g), squareKept.mul(v));
      p = rate.fma(m.div(v.sqrt().add(epsilon)), valueKept.mul(p));
      m.intoMemorySegment(ALL, mean + at, LE);
      v.intoMemorySegment(ALL, square + at, LE);
      p.intoMemorySegment(ALL, value + at, LE);
    }
  }

  /** Where the floats of an operand are, in whole vectors from {@code first} on. */
  private static long address(MemorySegment operand, long first, int count) {
    RawMemory.require(operand);
    long bytes = (long) Math.ceilDiv(count, Simd.LANES) * F.vectorByteSize();
    long from = Objects.checkFromIndexSize(first * Float.BYTES, bytes, operand.byteSize());
    return (operand.address() + from) & RawMemory.ADDRESS;
  }

  @Override
  public void sgd(SgdUpdate u, long first, int count) {
    MemorySegment value = u.value();
    MemorySegment grad = u.grad();
    MemorySegment velocity = u.velocity();
    FloatVector decay = FloatVector.broadcast(F, u.decay());
    FloatVector momentum = FloatVector.broadcast(F, u.momentum());
    FloatVector gradientWeight = FloatVector.broadcast(F, u.gradientWeight());
    FloatVector velocityWeight = FloatVector.broadcast(F, u.velocityWeight());
    FloatVector rate = FloatVector.broadcast(F, -u.learningRate());
    long start = first * Float.BYTES;
    for (int i = 0; i < count; i += Simd.LANES) {
      long at = start + 4L * i;
      FloatVector p = FloatVector.fromMemorySegment(F, value, at, LE);
      FloatVector g = decay.fma(p, FloatVector.fromMemorySegment(F, grad, at, LE));
      FloatVector b = momentum.fma(FloatVector.fromMemorySegment(F, velocity, at, LE), g);
      p = rate.fma(velocityWeight.fma(b, gradientWeight.mul(g)), p);
      b.intoMemorySegment(velocity, at, LE);
      p.intoMemorySegment(value, at, LE);
    }
  }

  @Override
  public void scale(Matrix m, float factor, long first, int count) {
    MemorySegment x = m.data();
    FloatVector f = FloatVector.broadcast(F, factor);
    long start = first * Float.BYTES;
    for (int i = 0; i < count; i += Simd.LANES) {
      long at = start + 4L * i;
      f.mul(FloatVector.fromMemorySegment(F, x, at, LE)).intoMemorySegment(x, at, LE);
    }
  }

  @Override
  public void clamp(Matrix m, float limit, long first, int count) {
    MemorySegment x = m.data();
    FloatVector high = FloatVector.broadcast(F, limit);
    FloatVector low = FloatVector.broadcast(F, -limit);
    long start = first * Float.BYTES;
    for (int i = 0; i < count; i += Simd.LANES) {
      long at = start + 4L * i;
      FloatVector v = FloatVector.fromMemorySegment(F, x, at, LE);
      v.max(low).min(high).intoMemorySegment(x, at, LE);
    }
  }

  @Override
  public void squares(Matrix m, int from, int to, Matrix sums, int row) {
    MemorySegment x = m.data();
    int whole = F.loopBound(m.cols());
    VectorMask<Float> tail = F.indexInRange(whole, m.cols());
    FloatVector sum = FloatVector.zero(F);
    for (int r = from; r < to; r++) {
      long at = m.offset(r);
      for (int c = 0; c < whole; c += Simd.LANES) {
        FloatVector v = FloatVector.fromMemorySegment(F, x, at + 4L * c, LE);
        sum = v.fma(v, sum);
      }
      if (whole < m.cols()) {
        // Padding may be NaN: it is blanked before it is squared.
        FloatVector v = FloatVector.fromMemorySegment(F, x, at + 4L * whole, LE);
        v = FloatVector.zero(F).blend(v, tail);
        sum = v.fma(v, sum);
      }
    }
    // Lanes are added up by the caller in order: the order of a reduction is not specified.
    sum.intoMemorySegment(sums.data(), sums.offset(row), LE);
  }
}
