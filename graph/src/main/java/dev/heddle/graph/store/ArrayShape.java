package dev.heddle.graph.store;

import dev.heddle.kernel.Matrix;

/**
 * Type and size of an array: a vector ({@code columns} and {@code stride} 1), or the rows of a
 * {@link Matrix} with its padding.
 *
 * @param stride elements from one row to the next
 */
record ArrayShape(ElementType type, long rows, int columns, int stride) {
  /** Files hold whole cache lines, at least one, so that whole vectors can be loaded at the end. */
  private static final int ALIGNMENT = 64;

  static ArrayShape vector(ElementType type, long length) {
    return new ArrayShape(type, length, 1, 1);
  }

  static ArrayShape matrix(long rows, int columns) {
    return new ArrayShape(ElementType.FLOAT32, rows, columns, Matrix.strideOf(columns));
  }

  /**
   * Whether this can be the shape of anything, however large; checked before it is computed with.
   */
  boolean possible() {
    boolean vector = columns == 1 && stride == 1;
    boolean matrix =
        columns >= 1
            && columns <= Integer.MAX_VALUE - ALIGNMENT
            && type == ElementType.FLOAT32
            && stride == Matrix.strideOf(columns);
    return (vector || matrix) && rows >= 0 && rows <= (Long.MAX_VALUE >> 8) / stride;
  }

  boolean isMatrix() {
    return stride > 1;
  }

  /** Bytes of the elements. */
  long dataBytes() {
    return rows * stride * type.bytes;
  }

  /** Bytes of the data with what fills the last cache line. */
  long paddedBytes() {
    return (Math.max(dataBytes(), 1) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  long fileBytes() {
    return ArrayHeader.BYTES + paddedBytes();
  }
}
