package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;

/** Normalises one row of features, which lies in one piece whether dense or sparse. */
public final class RowSum {
  private RowSum() {}

  /**
   * Divides values {@code first} to {@code end} (exclusive) by their sum, or by 1 if it is less.
   */
  public static void divide(MemorySegment values, long first, long end) {
    double sum = 0;
    for (long i = first; i < end; i++) {
      sum += values.getAtIndex(JAVA_FLOAT, i);
    }
    double scale = 1 / Math.max(sum, 1);
    for (long i = first; i < end; i++) {
      values.setAtIndex(JAVA_FLOAT, i, (float) (scale * values.getAtIndex(JAVA_FLOAT, i)));
    }
  }
}
