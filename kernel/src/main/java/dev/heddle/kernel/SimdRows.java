package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** Row kernels by the Vector API; layer normalisation is in {@link SimdLayerNorm}. */
final class SimdRows implements RowKernels {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final VectorSpecies<Integer> I = Simd.INTS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final int LANES = Simd.LANES;
  private static final int SIGN = Integer.MIN_VALUE;

  /** {@code 1 << lane}. */
  private static final IntVector LANE_BITS =
      IntVector.broadcast(I, 1).lanewise(VectorOperators.LSHL, laneNumbers());

  /** Lane times the column step of {@link Draws#column}. */
  private static final IntVector LANE_STEPS = laneNumbers().mul(0x9E3779B9);

  private static IntVector laneNumbers() {
    return IntVector.zero(I).addIndex(1);
  }

  @Override
  public void epilogue(Epilogue e, int from, int to) {
    Matrix x = e.x();
    int vectors = Simd.vectors(x.cols());
    int rowBytes = Epilogue.rowBytes(x.cols());
    MemorySegment source = x.data();
    MemorySegment target = e.out().data();
    Matrix bias = e.bias();
    boolean elu = e.activation() == Activation.ELU;
    FloatVector scale = FloatVector.broadcast(F, e.scale());
    for (int row = from; row < to; row++) {
      int draw = e.draw(row);
      for (int v = 0; v < vectors; v++) {
        long column = 4L * v * LANES;
        FloatVector value = load(source, x.offset(row) + column);
        if (bias != null) {
          value = value.add(load(bias.data(), column));
        }
        VectorMask<Float> stopped = value.compare(VectorOperators.LE, e.floor());
        if (elu) {
          // Only what is below zero goes through the exponential: above it would overflow.
          FloatVector below = SimdExp.minusOne(value.min(0));
          value = value.blend(below, value.compare(VectorOperators.LE, 0));
        }
        // Branches may join in vectors, but not in masks: those would be allocated.
        FloatVector factor = scale;
        if (e.drops()) {
          factor = scale.blend(0, dropped(draw, v * LANES, e.threshold()));
        }
        VectorMask<Float> passes = factor.compare(VectorOperators.GT, 0).andNot(stopped);
        FloatVector result = FloatVector.zero(F).blend(value.mul(scale), passes);
        result.intoMemorySegment(target, x.offset(row) + column, LE);
        e.bits().set(JAVA_BYTE, (long) row * rowBytes + v, (byte) passes.toLong());
      }
    }
  }

  /** {@link Draws#column} for a vector of columns, against the threshold. */
  private static VectorMask<Float> dropped(int draw, int column, int threshold) {
    IntVector x = LANE_STEPS.add(draw + column * 0x9E3779B9);
    x = x.lanewise(VectorOperators.LSHR, 16).lanewise(VectorOperators.XOR, x).mul(0x21F0AAAD);
    x = x.lanewise(VectorOperators.LSHR, 15).lanewise(VectorOperators.XOR, x).mul(0x735A2D97);
    x = x.lanewise(VectorOperators.LSHR, 15).lanewise(VectorOperators.XOR, x);
    // With the sign bits flipped a signed comparison is the unsigned one.
    return x.lanewise(VectorOperators.XOR, SIGN)
        .compare(VectorOperators.LT, threshold ^ SIGN)
        .cast(F);
  }

  @Override
  public void epilogueBackward(Epilogue e, int from, int to) {
    Matrix grad = e.grad();
    int vectors = Simd.vectors(grad.cols());
    int rowBytes = Epilogue.rowBytes(grad.cols());
    MemorySegment source = grad.data();
    MemorySegment target = e.x().data();
    MemorySegment output = e.out().data();
    boolean elu = e.activation() == Activation.ELU;
    FloatVector scale = FloatVector.broadcast(F, e.scale());
    for (int row = from; row < to; row++) {
      for (int v = 0; v < vectors; v++) {
        long at = grad.offset(row) + 4L * v * LANES;
        int bits = e.bits().get(JAVA_BYTE, (long) row * rowBytes + v);
        VectorMask<Float> passes = LANE_BITS.and(bits).compare(VectorOperators.NE, 0).cast(F);
        FloatVector value = load(source, at).mul(scale);
        if (elu) {
          FloatVector y = load(output, at);
          FloatVector slope = y.div(scale).add(1);
          value = value.mul(slope, y.compare(VectorOperators.LT, 0));
        }
        FloatVector result = FloatVector.zero(F).blend(value, passes);
        if (e.add()) {
          result = result.add(load(target, at));
        }
        result.intoMemorySegment(target, at, LE);
      }
    }
  }

  @Override
  public void layerNorm(LayerNorm n, int from, int to) {
    SimdLayerNorm.forward(n, from, to);
  }

  @Override
  public void layerNormBackward(LayerNorm n, int from, int to) {
    SimdLayerNorm.backward(n, from, to);
  }

  @Override
  public void layerNormGamma(LayerNorm n, int from, int to, Matrix out, int outRow) {
    SimdLayerNorm.gamma(n, from, to, out, outRow);
  }

  @Override
  public void combine(Combine k, int from, int to) {
    MemorySegment x = k.x().data();
    MemorySegment y = k.y().data();
    MemorySegment out = k.out().data();
    // Rows of equal width lie alike, so that a block is one stretch of memory.
    long begin = k.out().offset(from);
    int vectors = (int) ((k.out().offset(to) - begin) / (4L * LANES));
    FloatVector a = FloatVector.broadcast(F, k.a());
    FloatVector b = FloatVector.broadcast(F, k.b());
    FloatVector c = FloatVector.broadcast(F, k.c());
    for (int v = 0; v < vectors; v++) {
      long at = begin + 4L * v * LANES;
      FloatVector value = a.mul(load(x, at));
      if (k.b() != 0) {
        value = b.fma(load(y, at), value);
      }
      if (k.c() != 0) {
        value = c.fma(load(out, at), value);
      }
      value.intoMemorySegment(out, at, LE);
    }
  }

  @Override
  public void affine(ColumnAffine k, int from, int to) {
    Matrix out = k.out();
    int vectors = Simd.vectors(out.cols());
    for (int row = from; row < to; row++) {
      for (int v = 0; v < vectors; v++) {
        long column = 4L * v * LANES;
        long at = out.offset(row) + column;
        FloatVector value =
            load(k.alpha().data(), column)
                .fma(load(k.x().data(), at), load(k.gamma().data(), column));
        value = load(k.beta().data(), column).fma(load(k.y().data(), at), value);
        if (k.add()) {
          value = value.add(load(out.data(), at));
        }
        value.intoMemorySegment(out.data(), at, LE);
      }
    }
  }

  @Override
  public void narrow(Matrix x, HalfMatrix out, int from, int to) {
    MemorySegment source = x.data();
    MemorySegment target = out.data();
    long begin = x.offset(from);
    int vectors = (int) ((x.offset(to) - begin) / (4L * LANES));
    for (int v = 0; v < vectors; v++) {
      long at = begin + 4L * v * LANES;
      FloatVector value = load(source, at);
      IntVector bits = value.reinterpretAsInts();
      IntVector odd = bits.lanewise(VectorOperators.LSHR, 16).and(1);
      IntVector rounded = bits.add(0x7FFF).add(odd);
      // Rounding could carry a NaN's bits into infinity: quieten it instead.
      VectorMask<Integer> nan = value.test(VectorOperators.IS_NAN).cast(I);
      rounded = rounded.blend(bits.or(0x400000), nan);
      rounded
          .lanewise(VectorOperators.LSHR, 16)
          .convertShape(VectorOperators.I2S, Simd.SHORTS, 0)
          .reinterpretAsShorts()
          .intoMemorySegment(target, at / 2, LE);
    }
  }

  static FloatVector load(MemorySegment segment, long at) {
    return FloatVector.fromMemorySegment(F, segment, at, LE);
  }

  static float statistic(MemorySegment statistics, int row, int which) {
    return statistics.getAtIndex(JAVA_FLOAT, 2L * row + which);
  }
}
