package dev.heddle.kernel;

import static dev.heddle.kernel.RawMemory.ADDRESS;
import static dev.heddle.kernel.RawMemory.ALL;
import static dev.heddle.kernel.RawMemory.STRIDE;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Objects;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Column sums by the Vector API: four vectors of columns walk down the rows with their sums in
 * registers, then single vectors. Sums over padding columns land in padding. No vector is passed to
 * a method with a loop: where the compiler does not inline it, the vector would be an object.
 */
final class SimdColumns implements ColumnKernels {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final long V = F.vectorByteSize();

  @Override
  public void sum(
      MemorySegment x, long at, long stride, int rows, int cols, MemorySegment out, long outAt) {
    int vectors = Simd.vectors(cols);
    // The sums read and write addresses: that these lie in the operands is checked here.
    RawMemory.require(x);
    RawMemory.require(out);
    Objects.checkIndex(stride, STRIDE);
    long bytes = rows == 0 ? 0 : (rows - 1) * stride + vectors * V;
    Objects.checkFromIndexSize(at, bytes, x.byteSize());
    Objects.checkFromIndexSize(outAt, vectors * V, out.byteSize());
    long from = x.address() + at;
    long to = out.address() + outAt;
    int c = 0;
    for (; c + 4 <= vectors; c += 4) {
      sum4(from + c * V, stride, rows, to + c * V);
    }
    for (; c < vectors; c++) {
      sum1(from + c * V, stride, rows, to + c * V);
    }
  }

  @Override
  public void centredDot(
      Matrix x, Matrix y, Matrix mean, int from, int to, Matrix out, int outRow) {
    long stride = (long) x.stride() * Float.BYTES;
    int vectors = Simd.vectors(x.cols());
    for (int c = 0; c < vectors; c++) {
      dot1(
          x.data(),
          y.data(),
          x.offset(from) + c * V,
          stride,
          to - from,
          mean.data(),
          c * V,
          out.data(),
          out.offset(outRow) + c * V);
    }
  }

  @Override
  public void squares(Matrix x, Matrix mean, int from, int to, Matrix out, int outRow) {
    long stride = (long) x.stride() * Float.BYTES;
    int vectors = Simd.vectors(x.cols());
    for (int c = 0; c < vectors; c++) {
      squares1(
          x.data(),
          x.offset(from) + c * V,
          stride,
          to - from,
          mean.data(),
          c * V,
          out.data(),
          out.offset(outRow) + c * V);
    }
  }

  private static void sum4(long from, long rowBytes, int rows, long to) {
    long x = from & ADDRESS;
    long stride = rowBytes & STRIDE;
    FloatVector s0 = FloatVector.zero(F);
    FloatVector s1 = s0;
    FloatVector s2 = s0;
    FloatVector s3 = s0;
    for (int r = 0; r < rows; r++) {
      long row = x + r * stride;
      s0 = s0.add(fromMemorySegment(F, ALL, row, LE));
      s1 = s1.add(fromMemorySegment(F, ALL, row + V, LE));
      s2 = s2.add(fromMemorySegment(F, ALL, row + 2 * V, LE));
      s3 = s3.add(fromMemorySegment(F, ALL, row + 3 * V, LE));
    }
    long out = to & ADDRESS;
    add(s0, ALL, out);
    add(s1, ALL, out + V);
    add(s2, ALL, out + 2 * V);
    add(s3, ALL, out + 3 * V);
  }

  private static void sum1(long from, long rowBytes, int rows, long to) {
    long x = from & ADDRESS;
    long stride = rowBytes & STRIDE;
    FloatVector s = FloatVector.zero(F);
    for (int r = 0; r < rows; r++) {
      s = s.add(fromMemorySegment(F, ALL, x + r * stride, LE));
    }
    add(s, ALL, to & ADDRESS);
  }

  private static void dot1(
      MemorySegment x,
      MemorySegment y,
      long at,
      long stride,
      int rows,
      MemorySegment mean,
      long meanAt,
      MemorySegment out,
      long outAt) {
    FloatVector m = fromMemorySegment(F, mean, meanAt, LE);
    FloatVector s = FloatVector.zero(F);
    for (int r = 0; r < rows; r++) {
      s =
          fromMemorySegment(F, y, at + r * stride, LE)
              .sub(m)
              .fma(fromMemorySegment(F, x, at + r * stride, LE), s);
    }
    add(s, out, outAt);
  }

  private static void squares1(
      MemorySegment x,
      long at,
      long stride,
      int rows,
      MemorySegment mean,
      long meanAt,
      MemorySegment out,
      long outAt) {
    FloatVector m = fromMemorySegment(F, mean, meanAt, LE);
    FloatVector s = FloatVector.zero(F);
    for (int r = 0; r < rows; r++) {
      FloatVector d = fromMemorySegment(F, x, at + r * stride, LE).sub(m);
      s = d.fma(d, s);
    }
    add(s, out, outAt);
  }

  private static void add(FloatVector sum, MemorySegment out, long at) {
    fromMemorySegment(F, out, at, LE).add(sum).intoMemorySegment(out, at, LE);
  }
}
