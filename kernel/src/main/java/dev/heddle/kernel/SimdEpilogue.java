package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * {@link Epilogue} by the Vector API. A row stays in the first-level cache while short loops run
 * over it, a method for each thing to do: in one loop that chooses among them, or a branch that is
 * rarely taken, the compiler does not inline all and allocates vectors. Padding is computed along
 * with the rest.
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
    MemorySegment source = e.x().data();
    MemorySegment y = e.out().data();
    MemorySegment bits = e.bits();
    Matrix bias = e.bias();
    int vectors = Simd.vectors(e.x().cols());
    int rowBytes = Epilogue.rowBytes(e.x().cols());
    for (int row = from; row < to; row++) {
      long at = e.x().offset(row);
      long bitsAt = (long) row * rowBytes;
      if (bias != null) {
        addBias(source, y, at, vectors, bias.data());
      } else if (source.address() != y.address()) {
        MemorySegment.copy(source, at, y, at, vectors * V);
      }
      switch (e.activation()) {
        case NONE -> {}
        case RELU -> relu(y, at, vectors, bits, bitsAt);
        case ELU -> elu(y, at, vectors, bits, bitsAt);
      }
      if (e.drops()) {
        drop(e, row, y, at, vectors, bitsAt);
      }
    }
  }

  private static void addBias(
      MemorySegment x, MemorySegment y, long at, int vectors, MemorySegment bias) {
    for (int i = 0; i < vectors; i++) {
      fromMemorySegment(F, x, at + i * V, LE)
          .add(fromMemorySegment(F, bias, i * V, LE))
          .intoMemorySegment(y, at + i * V, LE);
    }
  }

  /** NaN passes, so that it shows. */
  private static void relu(MemorySegment y, long at, int vectors, MemorySegment bits, long bitsAt) {
    for (int i = 0; i < vectors; i++) {
      FloatVector v = fromMemorySegment(F, y, at + i * V, LE);
      VectorMask<Float> off = v.compare(VectorOperators.LE, 0f);
      v.blend(0f, off).intoMemorySegment(y, at + i * V, LE);
      bits.set(JAVA_BYTE, bitsAt + i, (byte) ~off.toLong());
    }
  }

  private static void elu(MemorySegment y, long at, int vectors, MemorySegment bits, long bitsAt) {
    SimdExp.minusOneBelowZero(y, at, vectors);
    for (int i = 0; i < vectors; i++) {
      bits.set(JAVA_BYTE, bitsAt + i, (byte) -1);
    }
  }

  private static void drop(
      Epilogue e, int row, MemorySegment y, long at, int vectors, long bitsAt) {
    MemorySegment bits = e.bits();
    int draw = e.draw(row);
    int threshold = e.threshold();
    float scale = e.scale();
    boolean narrow = e.activation() != Activation.NONE;
    for (int i = 0; i < vectors; i++) {
      VectorMask<Float> off = SimdDraws.dropped(draw, i * Simd.LANES, threshold);
      fromMemorySegment(F, y, at + i * V, LE)
          .mul(scale)
          .blend(0f, off)
          .intoMemorySegment(y, at + i * V, LE);
      int kept = (int) ~off.toLong();
      int before = narrow ? bits.get(JAVA_BYTE, bitsAt + i) : -1;
      bits.set(JAVA_BYTE, bitsAt + i, (byte) (kept & before));
    }
  }

  static void backward(Epilogue e, int from, int to) {
    MemorySegment g = e.grad().data();
    MemorySegment target = e.x().data();
    int vectors = Simd.vectors(e.grad().cols());
    int rowBytes = Epilogue.rowBytes(e.grad().cols());
    for (int row = from; row < to; row++) {
      long at = e.grad().offset(row);
      long bitsAt = (long) row * rowBytes;
      if (e.activation() == Activation.NONE && !e.drops()) {
        if (e.add()) {
          addTo(g, target, at, vectors);
        } else if (g.address() != target.address()) {
          MemorySegment.copy(g, at, target, at, vectors * V);
        }
      } else if (e.activation() == Activation.ELU) {
        if (e.add()) {
          addElu(e, g, target, at, vectors, bitsAt);
        } else {
          passElu(e, g, target, at, vectors, bitsAt);
        }
      } else if (e.add()) {
        addPassed(e, g, target, at, vectors, bitsAt);
      } else {
        pass(e, g, target, at, vectors, bitsAt);
      }
    }
  }

  private static void addTo(MemorySegment g, MemorySegment target, long at, int vectors) {
    for (int i = 0; i < vectors; i++) {
      fromMemorySegment(F, g, at + i * V, LE)
          .add(fromMemorySegment(F, target, at + i * V, LE))
          .intoMemorySegment(target, at + i * V, LE);
    }
  }

  /** Gradients where a bit is set, scaled; else zero. */
  private static void pass(
      Epilogue e, MemorySegment g, MemorySegment target, long at, int vectors, long bitsAt) {
    MemorySegment bits = e.bits();
    float scale = e.scale();
    for (int i = 0; i < vectors; i++) {
      VectorMask<Float> off =
          LANE_BITS.and(bits.get(JAVA_BYTE, bitsAt + i)).compare(VectorOperators.EQ, 0).cast(F);
      FloatVector value = fromMemorySegment(F, g, at + i * V, LE).mul(scale).blend(0f, off);
      value.intoMemorySegment(target, at + i * V, LE);
    }
  }

  private static void addPassed(
      Epilogue e, MemorySegment g, MemorySegment target, long at, int vectors, long bitsAt) {
    MemorySegment bits = e.bits();
    float scale = e.scale();
    for (int i = 0; i < vectors; i++) {
      VectorMask<Float> off =
          LANE_BITS.and(bits.get(JAVA_BYTE, bitsAt + i)).compare(VectorOperators.EQ, 0).cast(F);
      FloatVector value = fromMemorySegment(F, g, at + i * V, LE).mul(scale).blend(0f, off);
      value
          .add(fromMemorySegment(F, target, at + i * V, LE))
          .intoMemorySegment(target, at + i * V, LE);
    }
  }

  /**
   * The slope of {@code y = scale · elu(x)} is {@code y + scale} below zero, {@code scale} above.
   */
  private static void passElu(
      Epilogue e, MemorySegment g, MemorySegment target, long at, int vectors, long bitsAt) {
    MemorySegment bits = e.bits();
    MemorySegment y = e.out().data();
    float scale = e.scale();
    for (int i = 0; i < vectors; i++) {
      VectorMask<Float> off =
          LANE_BITS.and(bits.get(JAVA_BYTE, bitsAt + i)).compare(VectorOperators.EQ, 0).cast(F);
      FloatVector slope = fromMemorySegment(F, y, at + i * V, LE).min(0f).add(scale);
      FloatVector value = fromMemorySegment(F, g, at + i * V, LE).mul(slope).blend(0f, off);
      value.intoMemorySegment(target, at + i * V, LE);
    }
  }

  private static void addElu(
      Epilogue e, MemorySegment g, MemorySegment target, long at, int vectors, long bitsAt) {
    MemorySegment bits = e.bits();
    MemorySegment y = e.out().data();
    float scale = e.scale();
    for (int i = 0; i < vectors; i++) {
      VectorMask<Float> off =
          LANE_BITS.and(bits.get(JAVA_BYTE, bitsAt + i)).compare(VectorOperators.EQ, 0).cast(F);
      FloatVector slope = fromMemorySegment(F, y, at + i * V, LE).min(0f).add(scale);
      FloatVector value = fromMemorySegment(F, g, at + i * V, LE).mul(slope).blend(0f, off);
      value
          .add(fromMemorySegment(F, target, at + i * V, LE))
          .intoMemorySegment(target, at + i * V, LE);
    }
  }
}
