package dev.heddle.kernel;

import static dev.heddle.kernel.RawMemory.ADDRESS;
import static dev.heddle.kernel.RawMemory.ALL;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Objects;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * {@link Epilogue} by the Vector API. A row stays in the first-level cache while short loops run
 * over it, a method for each thing to do: in one loop that chooses among them, or a branch that is
 * rarely taken, the compiler does not inline all and allocates vectors. Bias and ReLU, which most
 * layers have, are one loop. Padding is computed along with the rest. The loops read and write
 * addresses: that these lie in the operands is checked before.
 */
final class SimdEpilogue {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final long V = F.vectorByteSize();

  /** {@code 1 << lane}. */
  private static final IntVector LANE_BITS =
      IntVector.broadcast(Simd.INTS, 1)
          .lanewise(VectorOperators.LSHL, IntVector.zero(Simd.INTS).addIndex(1));

  private SimdEpilogue() {}

  static void forward(Epilogue e, int from, int to) {
    check(e.x(), from, to);
    check(e.out(), from, to);
    long bits = bits(e, e.x().cols(), from, to);
    Matrix bias = e.bias();
    if (bias != null) {
      check(bias, 0, 1);
    }
    int vectors = Simd.vectors(e.x().cols());
    int rowBytes = Epilogue.rowBytes(e.x().cols());
    for (int row = from; row < to; row++) {
      long x = e.x().address(row);
      long y = e.out().address(row);
      long bitsOfRow = bits + (long) row * rowBytes;
      if (bias != null && e.activation() == Activation.RELU) {
        biasRelu(x, y, vectors, bias.address(0), bitsOfRow);
      } else {
        if (bias != null) {
          addBias(x, y, vectors, bias.address(0));
        } else if (x != y) {
          MemorySegment.copy(ALL, x, ALL, y, vectors * V);
        }
        switch (e.activation()) {
          case NONE -> {}
          case RELU -> relu(y, vectors, bitsOfRow);
          case ELU -> elu(y, vectors, bitsOfRow);
        }
      }
      if (e.drops()) {
        drop(e, row, y, vectors, bitsOfRow);
      }
    }
  }

  private static void check(Matrix matrix, int from, int to) {
    matrix.requireAlive();
    Objects.checkFromToIndex(from, to, matrix.rows());
  }

  /** Where bits begin. */
  private static long bits(Epilogue e, int cols, int from, int to) {
    boolean kept = e.activation() != Activation.NONE || e.drops();
    RawMemory.require(e.bits());
    Objects.checkFromToIndex(from, kept ? to : from, e.bits().byteSize() / Epilogue.rowBytes(cols));
    return e.bits().address();
  }

  private static void biasRelu(long x, long y, int vectors, long bias, long bits) {
    long source = x & ADDRESS;
    long target = y & ADDRESS;
    long add = bias & ADDRESS;
    long mask = bits & ADDRESS;
    for (int i = 0; i < vectors; i++) {
      FloatVector v =
          fromMemorySegment(F, ALL, source + i * V, LE)
              .add(fromMemorySegment(F, ALL, add + i * V, LE));
      VectorMask<Float> off = v.compare(VectorOperators.LE, 0f);
      v.blend(0f, off).intoMemorySegment(ALL, target + i * V, LE);
      ALL.set(JAVA_BYTE, mask + i, (byte) ~off.toLong());
    }
  }

  private static void addBias(long x, long y, int vectors, long bias) {
    long source = x & ADDRESS;
    long target = y & ADDRESS;
    long add = bias & ADDRESS;
    for (int i = 0; i < vectors; i++) {
      fromMemorySegment(F, ALL, source + i * V, LE)
          .add(fromMemorySegment(F, ALL, add + i * V, LE))
          .intoMemorySegment(ALL, target + i * V, LE);
    }
  }

  /** NaN passes, so that it shows. */
  private static void relu(long y, int vectors, long bits) {
    long target = y & ADDRESS;
    long mask = bits & ADDRESS;
    for (int i = 0; i < vectors; i++) {
      FloatVector v = fromMemorySegment(F, ALL, target + i * V, LE);
      VectorMask<Float> off = v.compare(VectorOperators.LE, 0f);
      v.blend(0f, off).intoMemorySegment(ALL, target + i * V, LE);
      ALL.set(JAVA_BYTE, mask + i, (byte) ~off.toLong());
    }
  }

  private static void elu(long y, int vectors, long bits) {
    SimdExp.minusOneBelowZero(y, vectors);
    long mask = bits & ADDRESS;
    for (int i = 0; i < vectors; i++) {
      ALL.set(JAVA_BYTE, mask + i, (byte) -1);
    }
  }

  private static void drop(Epilogue e, int row, long y, int vectors, long bits) {
    long target = y & ADDRESS;
    long mask = bits & ADDRESS;
    int draw = e.draw(row);
    int threshold = e.threshold();
    float scale = e.scale();
    boolean narrow = e.activation() != Activation.NONE;
    for (int i = 0; i < vectors; i++) {
      VectorMask<Float> off = SimdDraws.dropped(draw, i * Simd.LANES, threshold);
      fromMemorySegment(F, ALL, target + i * V, LE)
          .mul(scale)
          .blend(0f, off)
          .intoMemorySegment(ALL, target + i * V, LE);
      int kept = (int) ~off.toLong();
      int before = narrow ? ALL.get(JAVA_BYTE, mask + i) : -1;
      ALL.set(JAVA_BYTE, mask + i, (byte) (kept & before));
    }
  }

  static void backward(Epilogue e, int from, int to) {
    check(e.grad(), from, to);
    check(e.x(), from, to);
    int cols = e.grad().cols();
    long bits = bits(e, cols, from, to);
    int vectors = Simd.vectors(cols);
    int rowBytes = Epilogue.rowBytes(cols);
    boolean elu = e.activation() == Activation.ELU;
    if (elu) {
      check(e.out(), from, to);
    }
    for (int row = from; row < to; row++) {
      long g = e.grad().address(row);
      long target = e.x().address(row);
      long bitsOfRow = bits + (long) row * rowBytes;
      if (e.activation() == Activation.NONE && !e.drops()) {
        if (e.add()) {
          addTo(g, target, vectors);
        } else if (g != target) {
          MemorySegment.copy(ALL, g, ALL, target, vectors * V);
        }
      } else if (elu) {
        long y = e.out().address(row);
        if (e.add()) {
          addElu(g, target, vectors, y, bitsOfRow, e.scale());
        } else {
          passElu(g, target, vectors, y, bitsOfRow, e.scale());
        }
      } else if (e.add()) {
        addPassed(g, target, vectors, bitsOfRow, e.scale());
      } else {
        pass(g, target, vectors, bitsOfRow, e.scale());
      }
    }
  }

  private static void addTo(long g, long to, int vectors) {
    long grad = g & ADDRESS;
    long target = to & ADDRESS;
    for (int i = 0; i < vectors; i++) {
      fromMemorySegment(F, ALL, grad + i * V, LE)
          .add(fromMemorySegment(F, ALL, target + i * V, LE))
          .intoMemorySegment(ALL, target + i * V, LE);
    }
  }

  /** Gradients where a bit is set, scaled; else zero. */
  private static void pass(long g, long to, int vectors, long bits, float scale) {
    long grad = g & ADDRESS;
    long target = to & ADDRESS;
    long mask = bits & ADDRESS;
    for (int i = 0; i < vectors; i++) {
      VectorMask<Float> off =
          LANE_BITS.and(ALL.get(JAVA_BYTE, mask + i)).compare(VectorOperators.EQ, 0).cast(F);
      FloatVector value = fromMemorySegment(F, ALL, grad + i * V, LE).mul(scale).blend(0f, off);
      value.intoMemorySegment(ALL, target + i * V, LE);
    }
  }

  private static void addPassed(long g, long to, int vectors, long bits, float scale) {
    long grad = g & ADDRESS;
    long target = to & ADDRESS;
    long mask = bits & ADDRESS;
    for (int i = 0; i < vectors; i++) {
      VectorMask<Float> off =
          LANE_BITS.and(ALL.get(JAVA_BYTE, mask + i)).compare(VectorOperators.EQ, 0).cast(F);
      FloatVector value = fromMemorySegment(F, ALL, grad + i * V, LE).mul(scale).blend(0f, off);
      value
          .add(fromMemorySegment(F, ALL, target + i * V, LE))
          .intoMemorySegment(ALL, target + i * V, LE);
    }
  }

  /**
   * The slope of {@code y = scale · elu(x)} is {@code y + scale} below zero, {@code scale} above.
   */
  private static void passElu(long g, long to, int vectors, long y, long bits, float scale) {
    long grad = g & ADDRESS;
    long target = to & ADDRESS;
    long out = y & ADDRESS;
    long mask = bits & ADDRESS;
    for (int i = 0; i < vectors; i++) {
      VectorMask<Float> off =
          LANE_BITS.and(ALL.get(JAVA_BYTE, mask + i)).compare(VectorOperators.EQ, 0).cast(F);
      FloatVector slope = fromMemorySegment(F, ALL, out + i * V, LE).min(0f).add(scale);
      FloatVector value = fromMemorySegment(F, ALL, grad + i * V, LE).mul(slope).blend(0f, off);
      value.intoMemorySegment(ALL, target + i * V, LE);
    }
  }

  private static void addElu(long g, long to, int vectors, long y, long bits, float scale) {
    long grad = g & ADDRESS;
    long target = to & ADDRESS;
    long out = y & ADDRESS;
    long mask = bits & ADDRESS;
    for (int i = 0; i < vectors; i++) {
      VectorMask<Float> off =
          LANE_BITS.and(ALL.get(JAVA_BYTE, mask + i)).compare(VectorOperators.EQ, 0).cast(F);
      FloatVector slope = fromMemorySegment(F, ALL, out + i * V, LE).min(0f).add(scale);
      FloatVector value = fromMemorySegment(F, ALL, grad + i * V, LE).mul(slope).blend(0f, off);
      value
          .add(fromMemorySegment(F, ALL, target + i * V, LE))
          .intoMemorySegment(ALL, target + i * V, LE);
    }
  }
}
