package dev.heddle.kernel;

import static dev.heddle.kernel.RawMemory.ADDRESS;
import static dev.heddle.kernel.RawMemory.ALL;
import static jdk.incubator.vector.VectorOperators.IS_NAN;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import java.nio.ByteOrder;
import java.util.Objects;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/**
 * Rows rounded to bfloat16 and widened again, two columns to an int (see {@link HalfMatrix}). Loops
 * read and write addresses: that these lie in the operands is checked before.
 */
final class SimdHalfRows {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final VectorSpecies<Integer> I = Simd.INTS;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final int UPPER = 0xFFFF0000;
  private static final long V = I.vectorByteSize();
  private static final long LINE = (long) HalfMatrix.GROUP * Short.BYTES;
  private static final long APART = (long) HalfMatrix.APART * Float.BYTES;

  private SimdHalfRows() {}

  static void narrow(Matrix x, HalfMatrix out, int from, int to) {
    x.requireAlive();
    RawMemory.require(out.data());
    Objects.checkFromToIndex(from, to, Math.min(x.rows(), out.rows()));
    long floats = (long) x.stride() * Float.BYTES;
    long halves = HalfMatrix.rowBytes(x.cols());
    for (int row = from; row < to; row++) {
      long source = x.address(row) & ADDRESS;
      long target = (out.data().address() + row * halves) & ADDRESS;
      for (long line = 0; line < halves; line += LINE) {
        for (long at = 0; at < LINE; at += V) {
          IntVector low = upperHalves(source, 2 * line + at, floats);
          IntVector high = upperHalves(source, 2 * line + at + APART, floats);
          low.lanewise(LSHR, 16).or(high).intoMemorySegment(ALL, target + line + at, LE);
        }
      }
    }
  }

  /** Floats rounded to bfloat16, which stand in the upper halves; zeros where the row has ended. */
  private static IntVector upperHalves(long row, long at, long rowBytes) {
    if (at >= rowBytes) {
      return IntVector.zero(I);
    }
    FloatVector value = FloatVector.fromMemorySegment(F, ALL, row + at, LE);
    IntVector bits = value.reinterpretAsInts();
    IntVector odd = bits.lanewise(LSHR, 16).and(1);
    IntVector rounded = bits.add(0x7FFF).add(odd);
    // Rounding could carry a NaN's bits into infinity: quieten it instead.
    VectorMask<Integer> nan = value.test(IS_NAN).cast(I);
    return rounded.blend(bits.or(0x400000), nan).and(UPPER);
  }

  static void widen(HalfMatrix x, int row, Matrix out, int outRow) {
    RawMemory.require(x.data());
    out.requireAlive();
    Objects.checkIndex(row, x.rows());
    Objects.checkIndex(outRow, out.rows());
    long halves = HalfMatrix.rowBytes(x.cols());
    long source = (x.data().address() + row * halves) & ADDRESS;
    long target = out.address(outRow) & ADDRESS;
    long floats = (long) Math.min(out.stride(), Matrix.strideOf(x.cols())) * Float.BYTES;
    // Floats are written as the ints they are: to name them floats is one call more, which the
    // compiler left standing now and then, with an object for each vector.
    for (long line = 0; line < halves; line += LINE) {
      for (long at = 0; at < LINE; at += V) {
        long to = 2 * line + at;
        IntVector pairs = IntVector.fromMemorySegment(I, ALL, source + line + at, LE);
        if (to < floats) {
          pairs.lanewise(LSHL, 16).intoMemorySegment(ALL, target + to, LE);
        }
        if (to + APART < floats) {
          pairs.and(UPPER).intoMemorySegment(ALL, target + to + APART, LE);
        }
      }
    }
  }
}
