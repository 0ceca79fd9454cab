package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Quantised rows by the Vector API: whole chunks of {@link BitFields} eight columns at a time, what
 * is left by {@link ScalarQuant}. Needs vectors of eight floats.
 */
final class SimdQuant implements QuantKernels {
  private static final VectorSpecies<Float> F = Simd.FLOATS;
  private static final VectorSpecies<Integer> I = Simd.INTS;
  private static final VectorSpecies<Byte> B = ByteVector.SPECIES_64;
  private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
  private static final int LANES = 8;
  private static final long V = LANES * Float.BYTES;

  /** Whether this machine's vectors suit it. */
  static boolean available() {
    return Simd.LANES == LANES;
  }

  @Override
  public float pack(Matrix from, int row, int bits, int draw, MemorySegment to, long at) {
    MemorySegment x = from.data();
    int cols = from.cols();
    long in = from.offset(row);
    float min = min(x, in, cols);
    float max = max(x, in, cols);
    int grid = RowGrid.of(min, max, bits);
    to.set(JAVA_INT_UNALIGNED, at, grid);
    long levels = at + RowGrid.BYTES;
    int chunked = BitFields.inChunks(cols, bits);
    packChunks(x, in, chunked, grid, draw, to, levels, bits);
    if (chunked < cols) {
      long end = levels + BitFields.bytes(cols, bits);
      for (long b = levels + BitFields.bytes(chunked, bits); b < end; b++) {
        to.set(JAVA_BYTE, b, (byte) 0);
      }
      ScalarQuant.packColumns(from, row, chunked, bits, draw, to, at);
    }
    return max - min;
  }

  /** The last vector overlaps the one before; NaN anywhere gives NaN. */
  private static float min(MemorySegment x, long at, int cols) {
    if (cols < LANES) {
      float min = x.get(JAVA_FLOAT_UNALIGNED, at);
      for (int c = 1; c < cols; c++) {
        min = Math.min(min, x.get(JAVA_FLOAT_UNALIGNED, at + 4L * c));
      }
      return min;
    }
    FloatVector min = fromMemorySegment(F, x, at + 4L * (cols - LANES), LE);
    for (int c = 0; c + LANES < cols; c += LANES) {
      min = min.min(fromMemorySegment(F, x, at + 4L * c, LE));
    }
    return min.reduceLanes(VectorOperators.MIN);
  }

  private static float max(MemorySegment x, long at, int cols) {
    if (cols < LANES) {
      float max = x.get(JAVA_FLOAT_UNALIGNED, at);
      for (int c = 1; c < cols; c++) {
        max = Math.max(max, x.get(JAVA_FLOAT_UNALIGNED, at + 4L * c));
      }
      return max;
    }
    FloatVector max = fromMemorySegment(F, x, at + 4L * (cols - LANES), LE);
    for (int c = 0; c + LANES < cols; c += LANES) {
      max = max.max(fromMemorySegment(F, x, at + 4L * c, LE));
    }
    return max.reduceLanes(VectorOperators.MAX);
  }

  private static void packChunks(
      MemorySegment x,
      long in,
      int chunked,
      int grid,
      int draw,
      MemorySegment out,
      long at,
      int bits) {
    float zero = RowGrid.zero(grid);
    float inverse = RowGrid.inverse(grid);
    int top = RowGrid.top(bits);
    for (int c = 0; c < chunked; at += BitFields.CHUNK) {
      IntVector word = IntVector.zero(I);
      for (int shift = 0; shift < 8; shift += bits, c += LANES) {
        IntVector levels =
            round(fromMemorySegment(F, x, in + 4L * c, LE), zero, inverse, draw, c).min(top);
        word = word.or(levels.lanewise(VectorOperators.LSHL, shift));
      }
      ((ByteVector) word.convertShape(VectorOperators.I2B, B, 0)).intoMemorySegment(out, at, LE);
    }
  }

  private static IntVector round(FloatVector x, float zero, float inverse, int draw, int column) {
    FloatVector steps = x.sub(zero).mul(inverse);
    IntVector below = (IntVector) steps.convertShape(VectorOperators.F2I, I, 0);
    FloatVector rest = steps.sub((FloatVector) below.convertShape(VectorOperators.I2F, F, 0));
    IntVector random = SimdDraws.columns(draw, column).lanewise(VectorOperators.LSHR, 8);
    FloatVector unit = ((FloatVector) random.convertShape(VectorOperators.I2F, F, 0)).mul(0x1p-24f);
    VectorMask<Integer> up = unit.compare(VectorOperators.LT, rest).cast(I);
    return below.blend(below.add(1), up);
  }

  @Override
  public void unpack(MemorySegment from, long at, int bits, Matrix to, int row) {
    int chunked = BitFields.inChunks(to.cols(), bits);
    unpackChunks(from, at, bits, to.data(), to.offset(row), chunked);
    ScalarQuant.unpackColumns(from, at, bits, to, row, chunked);
  }

  private static void unpackChunks(
      MemorySegment in, long at, int bits, MemorySegment y, long out, int chunked) {
    int grid = in.get(JAVA_INT_UNALIGNED, at);
    at += RowGrid.BYTES;
    float zero = RowGrid.zero(grid);
    float step = RowGrid.step(grid);
    int top = RowGrid.top(bits);
    for (int c = 0; c < chunked; at += BitFields.CHUNK) {
      IntVector word = word(in, at);
      for (int shift = 0; shift < 8; shift += bits, c += LANES, out += V) {
        value(word, shift, top).mul(step).add(zero).intoMemorySegment(y, out, LE);
      }
    }
  }

  @Override
  public void add(MemorySegment from, long at, int bits, Matrix to, int row) {
    int chunked = BitFields.inChunks(to.cols(), bits);
    addChunks(from, at, bits, to.data(), to.offset(row), chunked);
    ScalarQuant.addColumns(from, at, bits, to, row, chunked);
  }

  private static void addChunks(
      MemorySegment in, long at, int bits, MemorySegment y, long out, int chunked) {
    int grid = in.get(JAVA_INT_UNALIGNED, at);
    at += RowGrid.BYTES;
    float zero = RowGrid.zero(grid);
    float step = RowGrid.step(grid);
    int top = RowGrid.top(bits);
    for (int c = 0; c < chunked; at += BitFields.CHUNK) {
      IntVector word = word(in, at);
      for (int shift = 0; shift < 8; shift += bits, c += LANES, out += V) {
        FloatVector value = value(word, shift, top).mul(step).add(zero);
        fromMemorySegment(F, y, out, LE).add(value).intoMemorySegment(y, out, LE);
      }
    }
  }

  /** The eight bytes of a chunk. */
  private static IntVector word(MemorySegment in, long at) {
    ByteVector bytes = ByteVector.fromMemorySegment(B, in, at, LE);
    return (IntVector) bytes.convertShape(VectorOperators.ZERO_EXTEND_B2I, I, 0);
  }

  /** The levels of eight columns, as floats. */
  private static FloatVector value(IntVector word, int shift, int top) {
    IntVector levels = word.lanewise(VectorOperators.LSHR, shift).and(top);
    return (FloatVector) levels.convertShape(VectorOperators.I2F, F, 0);
  }
}
