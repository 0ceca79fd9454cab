package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/**
 * Floats that travel as bfloat16, two bytes each without padding. All of it runs in the calling
 * thread; it is for what is sent, which takes longer.
 */
public final class PackedHalves {
  private PackedHalves() {}

  /** Rounds the elements of a matrix, row by row; returns where the next ones go. */
  public static long narrow(Matrix source, MemorySegment target, long offset) {
    long to = offset;
    for (int row = 0; row < source.rows(); row++) {
      long from = source.offset(row);
      for (int col = 0; col < source.cols(); col++, to += Short.BYTES) {
        float value = source.data().get(JAVA_FLOAT, from + 4L * col);
        target.set(JAVA_SHORT, to, HalfMatrix.narrow(value));
      }
    }
    return to;
  }

  /** Writes elements into a matrix; returns where the next ones lie. */
  public static long widen(MemorySegment source, long offset, Matrix target) {
    long from = offset;
    for (int row = 0; row < target.rows(); row++) {
      long to = target.offset(row);
      for (int col = 0; col < target.cols(); col++, from += Short.BYTES) {
        float value = HalfMatrix.widen(source.get(JAVA_SHORT, from));
        target.data().set(JAVA_FLOAT, to + 4L * col, value);
      }
    }
    return from;
  }

  /**
   * Adds up slices of so many bytes that follow one another, in order and as floats, and rounds the
   * sums into the place of the first.
   */
  public static void sum(MemorySegment slices, int count, long bytes) {
    for (long at = 0; at < bytes; at += Short.BYTES) {
      float sum = HalfMatrix.widen(slices.get(JAVA_SHORT, at));
      for (int slice = 1; slice < count; slice++) {
        sum += HalfMatrix.widen(slices.get(JAVA_SHORT, slice * bytes + at));
      }
      slices.set(JAVA_SHORT, at, HalfMatrix.narrow(sum));
    }
  }
}
