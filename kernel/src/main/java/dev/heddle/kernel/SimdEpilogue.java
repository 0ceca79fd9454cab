package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * {@link Epilogue} by the Vector API. A row stays in the first-level cache while short loops run
 * over it, one for each thing to do: one loop that chooses among them makes the compiler allocate
 * its vectors. Padding is computed along with the rest.
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
        case ELU -> elu(y, at, vectors);
      }
      if (e.drops()) {
        drop(e, row, y, at, vectors, bitsAt);
      }
    }
  }

  private static void addBias(
      MemorySegment x, MemorySegment y, long at, int vectors, MemorySegment bias) {
    for (int i = 0; i < vectors; i++) {
      load(x, at + i * V).add(load(bias, i * V)).intoMemorySegment(y, at + i * V, LE);
    }
  }

  /** NaN passes, so that it shows. */
  private static void relu(MemorySegment y, long at, int vectors, MemorySegment bits, long bitsAt) {
    for (int i = 0; i < vectors; i++) {
      FloatVector v = load(y, at + i * V);
      VectorMask<Float> off = v.compare(VectorOperators.LE, 0f);
      v.blend(0f, off).intoMemorySegment(y, at + i * V, LE);
      bits.set(JAVA_BYTE, bitsAt + i, (byte) ~off.toLong());
    }
  }

  private static void elu(MemorySegment y, long at, int vectors) {
    for (int i = 0; i < vectors; i++) {
      FloatVector v = load(y, at + i * V);
      // Only what is below zero goes through the exponential: above it would overflow.
      FloatVector below = SimdExp.minusOne(v.min(0f));
      below.blend(v, v.compare(VectorOperators.GT, 0f)).intoMemorySegment(y, at + i * V, LE);
    }
  }

  private static void drop(
      Epilogue e, int row, MemorySegment y, long at, int vectors, long bitsAt) {
    MemorySegment bits = e.bits();
    int draw = e.draw(row);
    int threshold = e.threshold();
    float scale = e.scale();
    boolean narrow = e.activation() == Activation.RELU;
    for (int i = 0; i < vectors; i++) {
      VectorMask<Float> off = SimdDraws.dropped(draw, i * Simd.LANES, threshold);
      load(y, at + i * V).mul(scale).blend(0f, off).intoMemorySegment(y, at + i * V, LE);
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
      switch (e.activation()) {
        case ELU -> eluBack(e, g, target, at, vectors, bitsAt);
        case RELU -> pass(e, g, target, at, vectors, bitsAt);
        case NONE -> {
          if (e.drops()) {
            pass(e, g, target, at, vectors, bitsAt);
          } else if (e.add()) {
            addTo(g, target, at, vectors);
          } else if (g.address() != target.address()) {
            MemorySegment.copy(g, at, target, at, vectors * V);
          }
        }
      }
    }
  }

  private static void addTo(MemorySegment g, MemorySegment target, long at, int vectors) {
    for (int i = 0; i < vectors; i++) {
      load(g, at + i * V).add(load(target, at + i * V)).intoMemorySegment(target, at + i * V, LE);
    }
  }

  /** Gradients where a bit is set, scaled; else zero. */
  private static void pass(
      Epilogue e, MemorySegment g, MemorySegment target, long at, int vectors, long bitsAt) {
    float scale = e.scale();
    if (e.add()) {
      for (int i = 0; i < vectors; i++) {
        FloatVector value = load(g, at + i * V).mul(scale).blend(0f, off(e, bitsAt + i));
        value.add(load(target, at + i * V)).intoMemorySegment(target, at + i * V, LE);
      }
      return;
    }
    for (int i = 0; i < vectors; i++) {
      FloatVector value = load(g, at + i * V).mul(scale).blend(0f, off(e, bitsAt + i));
      value.intoMemorySegment(target, at + i * V, LE);
    }
  }

  /**
   * The slope of {@code y = scale · elu(x)} is {@code y + scale} below zero, {@code scale} above.
   */
  private static void eluBack(
      Epilogue e, MemorySegment g, MemorySegment target, long at, int vectors, long bitsAt) {
    MemorySegment y = e.out().data();
    float scale = e.scale();
    boolean drops = e.drops();
    boolean add = e.add();
    for (int i = 0; i < vectors; i++) {
      FloatVector slope = load(y, at + i * V).min(0f).add(scale);
      FloatVector value = slope.mul(load(g, at + i * V));
      if (drops) {
        value = value.blend(0f, off(e, bitsAt + i));
      }
      if (add) {
        value = value.add(load(target, at + i * V));
      }
      value.intoMemorySegment(target, at + i * V, LE);
    }
  }

  private static VectorMask<Float> off(Epilogue e, long bitsAt) {
    return LANE_BITS.and(e.bits().get(JAVA_BYTE, bitsAt)).compare(VectorOperators.EQ, 0).cast(F);
  }

  private static FloatVector load(MemorySegment x, long at) {
    return FloatVector.fromMemorySegment(F, x, at, LE);
  }
}
