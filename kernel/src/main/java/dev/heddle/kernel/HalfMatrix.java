package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/**
 * A row-major bfloat16 matrix outside the heap: the upper half of each float32, rounded to nearest
 * even. Kernels read it as float32 and accumulate in float32; it only halves what is gathered.
 *
 * <p>Columns lie in pairs: of every {@link #GROUP} columns, a cache line, the lower half of the
 * i-th int is column {@code i} and its upper half column {@code i + 16}. One load brings both, a
 * shift makes floats of the former and a mask of the latter, and each vector of floats is columns
 * that follow one another. Rows are padded to whole groups.
 */
public final class HalfMatrix {
  /** Columns that lie in the same cache line. */
  static final int GROUP = 32;

  /** From a column in the lower half of an int to the one in its upper half. */
  static final int APART = GROUP / 2;

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

  /**
   * A matrix over rows that were copied from {@link #words} of another.
   *
   * @param cols of halves
   */
  public static HalfMatrix ofWords(Matrix words, int cols) {
    if (words.stride() * (long) Float.BYTES != rowBytes(cols)) {
      throw new IllegalArgumentException(words + " holds no rows of " + cols + " halves");
    }
    return over(words.data(), words.rows(), cols);
  }

  /** The rows as words of four bytes, to be copied as they are: half as wide, without padding. */
  public Matrix words() {
    return Matrix.over(data, rows, (int) (rowBytes(cols) / Float.BYTES));
  }

  /** Bytes that a matrix of this shape takes. */
  public static long bytes(int rows, int cols) {
    return rows * rowBytes(cols);
  }

  /** Bytes from one row to the next. */
  static long rowBytes(int cols) {
    return ((long) cols + GROUP - 1) / GROUP * GROUP * Short.BYTES;
  }

  public int rows() {
    return rows;
  }

  public int cols() {
    return cols;
  }

  public MemorySegment data() {
    return data;
  }

  /** Rows {@code from} (inclusive) to {@code to} (exclusive), sharing this matrix's memory. */
  public HalfMatrix slice(int from, int to) {
    long row = rowBytes(cols);
    return new HalfMatrix(data.asSlice(from * row, (to - from) * row), to - from, cols);
  }

  public float get(int row, int col) {
    return widen(data.get(JAVA_SHORT, row * rowBytes(cols) + place(col)));
  }

  void set(int row, int col, float value) {
    data.set(JAVA_SHORT, row * rowBytes(cols) + place(col), narrow(value));
  }

  /** Where in its row a column lies, in bytes. */
  static long place(int col) {
    int inGroup = col % GROUP;
    return Short.BYTES * (col - inGroup + 2L * (inGroup % APART) + inGroup / APART);
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
