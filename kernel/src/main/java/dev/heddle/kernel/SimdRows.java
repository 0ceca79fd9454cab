package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Row kernels by the Vector API; the larger ones are in {@link SimdEpilogue}, {@link SimdHalfRows},
 * {@link SimdLayerNorm} and {@link SimdSoftmax}.
 */
final class SimdRows implements RowKernels {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
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
  public void scatter(RowScatter s, int from, int to) {
    MemorySegment source = s.source().data();
    MemorySegment target = s.target().data();
    int vectors = Simd.vectors(s.target().cols());
    float factor = s.factor();
    for (int row = from; row < to; row++) {
      long read = s.source().offset(row);
      long write = s.target().offset(s.ids().at(row));
      for (int v = 0; v < vectors; v++) {
        long at = 4L * v * LANES;
        fromMemorySegment(F, target, write + at, LE)
            .add(fromMemorySegment(F, source, read + at, LE).mul(factor))
            .intoMemorySegment(target, write + at, LE);
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
    SimdHalfRows.narrow(x, out, from, to);
  }

  @Override
  public void widen(HalfMatrix x, int row, Matrix out, int outRow) {
    SimdHalfRows.widen(x, row, out, outRow);
  }

  static float statistic(MemorySegment statistics, int row, int which) {
    return statistics.getAtIndex(JAVA_FLOAT, 2L * row + which);
  }
}
