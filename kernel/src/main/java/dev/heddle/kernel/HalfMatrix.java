package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/**
 * A row-major bfloat16 matrix outside the heap: the upper half of each float32, rounded to nearest
 * even. Kernels read it as float32 and accumulate in float32; it only halves what is gathered.
 */
public final class HalfMatrix {
  private final MemorySegment data;
  private final int rows;
  private final int cols;

  private HalfMatrix(MemorySegment data, int rows, int cols) {
    this.data = data;
    this.rows = rows;
    this.cols = cols;
  }

  /** A matrix over memory of at least {@link #bytes} bytes that the caller keeps alive. */
  public static HalfMatrix over(MemorySegment data, int rows, int cols) {
    if (data.byteSize() < bytes(rows, cols)) {
      throw new IllegalArgumentException(
          data.byteSize() + " bytes are too few for " + rows + " x " + cols + " halves");
    }
    return new HalfMatrix(data, rows, cols);
  }

  public static HalfMatrix allocate(Memory memory, int rows, int cols) {
    return over(memory.allocate(bytes(rows, cols)), rows, cols);
  }

  /** Bytes that a matrix of this shape takes; strides are those of {@link Matrix} in elements. */
  public static long bytes(int rows, int cols) {
    return Matrix.bytes(rows, cols) / 2;
  }

  public int rows() {
    return rows;
  }

  public int cols() {
    return cols;
  }

  public int stride() {
    return Matrix.strideOf(cols);
  }

  public MemorySegment data() {
    return data;
  }

  public float get(int row, int col) {
    return widen(data.getAtIndex(JAVA_SHORT, (long) row * stride() + col));
  }

  /** The float whose upper half this is. */
  static float widen(short half) {
    return Float.intBitsToFloat(half << 16);
  }

  /** The nearest bfloat16, ties to even; a NaN stays one. */
  static short narrow(float value) {
    int bits = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) {
      return (short) ((bits >>> 16) | 0x40);
    }
    return (short) ((bits + 0x7FFF + ((bits >>> 16) & 1)) >>> 16);
  }
}
