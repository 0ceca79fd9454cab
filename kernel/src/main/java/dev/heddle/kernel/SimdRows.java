package dev.heddle.kernel;

import static dev.heddle.kernel.RawMemory.ADDRESS;
import static dev.heddle.kernel.RawMemory.ALL;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Objects;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Row kernels by the Vector API; the larger ones are in {@link SimdEpilogue}, {@link SimdLayerNorm}
 * and {@link SimdSoftmax}.
 */
final class SimdRows implements RowKernels {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final VectorSpecies<Integer> I = Simd.INTS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final int LANES = Simd.LANES;

  @Override
  public void epilogue(Epilogue e, int from, int to) {
    SimdEpilogue.forward(e, from, to);
  }

  @Override
  public void epilogueBackward(Epilogue e, int from, int to) {
    SimdEpilogue.backward(e, from, to);
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
    float a = k.a();
    float b = k.b();
    float c = k.c();
    if (b == 0 && c == 0) {
      for (int v = 0; v < vectors; v++) {
        long at = begin + 4L * v * LANES;
        fromMemorySegment(F, x, at, LE).mul(a).intoMemorySegment(out, at, LE);
      }
    } else if (b == 0) {
      for (int v = 0; v < vectors; v++) {
        long at = begin + 4L * v * LANES;
        fromMemorySegment(F, out, at, LE)
            .mul(c)
            .add(fromMemorySegment(F, x, at, LE).mul(a))
            .intoMemorySegment(out, at, LE);
      }
    } else {
      for (int v = 0; v < vectors; v++) {
        long at = begin + 4L * v * LANES;
        fromMemorySegment(F, x, at, LE)
            .mul(a)
            .add(fromMemorySegment(F, y, at, LE).mul(b))
            .intoMemorySegment(out, at, LE);
      }
    }
  }

  @Override
  public void affine(ColumnAffine k, int from, int to) {
    int vectors = Simd.vectors(k.out().cols());
    for (int row = from; row < to; row++) {
      if (k.add()) {
        addAffine(k, k.out().offset(row), vectors);
      } else {
        writeAffine(k, k.out().offset(row), vectors);
      }
    }
  }

  private static void writeAffine(ColumnAffine k, long begin, int vectors) {
    for (int v = 0; v < vectors; v++) {
      long column = 4L * v * LANES;
      FloatVector value =
          fromMemorySegment(F, k.alpha().data(), column, LE)
              .fma(
                  fromMemorySegment(F, k.x().data(), begin + column, LE),
                  fromMemorySegment(F, k.gamma().data(), column, LE));
      fromMemorySegment(F, k.beta().data(), column, LE)
          .fma(fromMemorySegment(F, k.y().data(), begin + column, LE), value)
          .intoMemorySegment(k.out().data(), begin + column, LE);
    }
  }

  private static void addAffine(ColumnAffine k, long begin, int vectors) {
    for (int v = 0; v < vectors; v++) {
      long column = 4L * v * LANES;
      FloatVector value =
          fromMemorySegment(F, k.alpha().data(), column, LE)
              .fma(
                  fromMemorySegment(F, k.x().data(), begin + column, LE),
                  fromMemorySegment(F, k.gamma().data(), column, LE));
      fromMemorySegment(F, k.beta().data(), column, LE)
          .fma(fromMemorySegment(F, k.y().data(), begin + column, LE), value)
          .add(fromMemorySegment(F, k.out().data(), begin + column, LE))
          .intoMemorySegment(k.out().data(), begin + column, LE);
    }
  }

  @Override
  public double softmaxCrossEntropy(Matrix scores, int row, int label, float scale, Matrix grad) {
    return SimdSoftmax.crossEntropy(scores, row, label, scale, grad);
  }

  @Override
  public void narrow(Matrix x, HalfMatrix out, int from, int to) {
    MemorySegment source = x.data();
    MemorySegment target = out.data();
    long begin = x.offset(from);
    int vectors = (int) ((x.offset(to) - begin) / (4L * LANES));
    for (int v = 0; v < vectors; v++) {
      long at = begin + 4L * v * LANES;
      FloatVector value = fromMemorySegment(F, source, at, LE);
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

  /**
   * A bfloat16 is the upper half of a float: widened, it is shifted there. The loop reads and
   * writes addresses: that these lie in the operands is checked before.
   */
  @Override
  public void widen(HalfMatrix x, int row, Matrix out, int outRow) {
    RawMemory.require(x.data());
    out.requireAlive();
    Objects.checkIndex(row, x.rows());
    Objects.checkIndex(outRow, out.rows());
    int vectors = Simd.vectors(Math.min(x.cols(), out.cols()));
    long from = (x.data().address() + (long) row * x.stride() * Short.BYTES) & ADDRESS;
    long to = out.address(outRow) & ADDRESS;
    for (int v = 0; v < vectors; v++) {
      ShortVector.fromMemorySegment(Simd.SHORTS, ALL, from + 2L * v * LANES, LE)
          .convertShape(VectorOperators.ZERO_EXTEND_S2I, I, 0)
          .reinterpretAsInts()
          .lanewise(VectorOperators.LSHL, 16)
          .reinterpretAsFloats()
          .intoMemorySegment(ALL, to + 4L * v * LANES, LE);
    }
  }

  static float statistic(MemorySegment statistics, int row, int which) {
    return statistics.getAtIndex(JAVA_FLOAT, 2L * row + which);
  }
}
