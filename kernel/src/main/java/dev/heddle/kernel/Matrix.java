package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;

/**
 * A row-major float32 matrix outside the heap. Every row starts on a boundary of 32 or 64 bytes.
 *
 * <p>Rows are padded up to {@link #stride} floats. What the padding holds is unspecified: kernels
 * may load and store it in whole vectors, and no result may depend on it.
 */
public final class Matrix {
  /** What kernels that wait for their next run hold instead of a matrix. */
  static final Matrix EMPTY = over(MemorySegment.NULL, 0, 1);

  /** So that the stride, a multiple of 16, is an int. */
  private static final int MOST_COLUMNS = Integer.MAX_VALUE - 15;

  private final MemorySegment data;
  private final int rows;
  private final int cols;
  private final int stride;

  private Matrix(MemorySegment data, int rows, int cols) {
    this.data = data;
    this.rows = rows;
    this.cols = cols;
    this.stride = strideOf(cols);
  }

  /** A zeroed matrix of {@code rows} × {@code cols}. */
  public static Matrix allocate(Memory memory, int rows, int cols) {
    return over(memory.allocate(bytes(rows, cols)), rows, cols);
  }

  /** A matrix over memory of at least {@link #bytes} bytes that the caller keeps alive. */
  public static Matrix over(MemorySegment data, int rows, int cols) {
    if (rows < 0 || cols < 1) {
      throw new IllegalArgumentException("a matrix cannot be " + rows + " x " + cols);
    }
    if (data.byteSize() < bytes(rows, cols)) {
      throw new IllegalArgumentException(
          data.byteSize() + " bytes are too few for " + rows + " x " + cols);
    }
    return new Matrix(data, rows, cols);
  }

  /** A copy of the rows of an array. */
  public static Matrix of(Memory memory, float[][] values) {
    Matrix m = allocate(memory, values.length, values.length == 0 ? 1 : values[0].length);
    for (int r = 0; r < values.length; r++) {
      m.setRow(r, values[r]);
    }
    return m;
  }

  /** Floats from one row to the next: 8 up to 8 columns, else a multiple of 16 (a cache line). */
  public static int strideOf(int cols) {
    if (cols > MOST_COLUMNS) {
      throw new IllegalArgumentException(
          "a matrix has at most " + MOST_COLUMNS + " columns, not " + cols);
    }
    return cols <= 8 ? 8 : (cols + 15) / 16 * 16;
  }

  /** Bytes that a matrix of this shape takes. */
  public static long bytes(int rows, int cols) {
    long values = (long) rows * strideOf(cols);
    if (values > Long.MAX_VALUE / Float.BYTES) {
      throw new IllegalArgumentException("a matrix of " + rows + " x " + cols + " is too large");
    }
    return values * Float.BYTES;
  }

  public int rows() {
    return rows;
  }

  public int cols() {
    return cols;
  }

  public int stride() {
    return stride;
  }

  public MemorySegment data() {
    return data;
  }

  /** Byte offset of a row inside {@link #data}. */
  public long offset(int row) {
    return (long) row * stride * Float.BYTES;
  }

  /** Address of a row, for native code. */
  public long address(int row) {
    return data.address() + offset(row);
  }

  public float get(int row, int col) {
    return data.get(JAVA_FLOAT, offset(row) + (long) col * Float.BYTES);
  }

  public void set(int row, int col, float value) {
    data.set(JAVA_FLOAT, offset(row) + (long) col * Float.BYTES, value);
  }

  public void setRow(int row, float[] values) {
    if (values.length != cols) {
      throw new IllegalArgumentException(
          "row " + row + " has " + values.length + " values, not " + cols);
    }
    MemorySegment.copy(values, 0, data, JAVA_FLOAT, offset(row), cols);
  }

  /** The matrix's values without the padding. */
  public float[][] toArray() {
    float[][] values = new float[rows][cols];
    for (int r = 0; r < rows; r++) {
      MemorySegment.copy(data, JAVA_FLOAT, offset(r), values[r], 0, cols);
    }
    return values;
  }

  /** Writes the transpose of this, which is small, into a {@code cols × rows} matrix. */
  public void transposeInto(Matrix target) {
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        target.set(c, r, get(r, c));
      }
    }
  }

  /**
   * Says that this is not read again soon: a matrix mapped from a file gives its memory back until
   * it is.
   */
  public void unload() {
    MappedFiles.unload(data);
  }

  /** Refuses memory that was given back, which native code would not notice. */
  void requireAlive() {
    if (!data.scope().isAlive()) {
      throw new IllegalStateException("the memory of a matrix is closed");
    }
  }

  /** Sets every value, padding included. */
  public void fill(float value) {
    for (long i = 0, n = (long) rows * stride; i < n; i++) {
      data.setAtIndex(JAVA_FLOAT, i, value);
    }
  }

  /** Rows {@code from} (inclusive) to {@code to} (exclusive), sharing this matrix's memory. */
  public Matrix slice(int from, int to) {
    return new Matrix(data.asSlice(offset(from), offset(to) - offset(from)), to - from, cols);
  }

  @Override
  public String toString() {
    return "Matrix[" + rows + " x " + cols + "]";
  }
}
