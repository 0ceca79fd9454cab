package dev.heddle.kernel;

/**
 * How a loop over all floats of a matrix, padding included, is cut into tasks: runs of one length
 * whatever the shape and the number of threads.
 */
final class FlatBlocks {
  /** Floats in every block but the last: 64 KB. A multiple of every vector's length. */
  static final int FLOATS = 1 << 14;

  private FlatBlocks() {}

  /** Floats of a matrix, padding included: a multiple of eight. */
  static long floats(Matrix m) {
    return (long) m.rows() * m.stride();
  }

  static int count(long floats) {
    return Math.toIntExact((floats + FLOATS - 1) / FLOATS);
  }

  static long first(int block) {
    return (long) block * FLOATS;
  }

  static int length(long floats, int block) {
    return (int) Math.min(FLOATS, floats - first(block));
  }

  /** Refuses matrices that cannot be walked in step. */
  static void requireOneShape(Matrix first, Matrix... others) {
    for (Matrix m : others) {
      if (m.rows() != first.rows() || m.cols() != first.cols()) {
        throw new IllegalArgumentException(first + " and " + m + " differ in shape");
      }
    }
  }
}
