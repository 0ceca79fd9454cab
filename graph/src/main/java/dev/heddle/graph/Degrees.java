package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.kernel.Csr;
import java.lang.foreign.MemorySegment;

/** What sums over in-arcs are divided by. Degrees are weighted: the sum of a row's arcs. */
public final class Degrees {
  private Degrees() {}

  /** Writes {@code 1/d} of each row, 0 where {@code d} is 0. */
  public static void inverse(Csr in, MemorySegment values) {
    for (int row = 0; row < in.rows(); row++) {
      double degree = of(in, row);
      values.setAtIndex(JAVA_FLOAT, row, degree == 0 ? 0 : (float) (1 / degree));
    }
  }

  /** Writes {@code d^-1/2} of each row, 0 where {@code d} is not positive. */
  public static void inverseRoot(Csr in, MemorySegment values) {
    for (int row = 0; row < in.rows(); row++) {
      double degree = of(in, row);
      values.setAtIndex(JAVA_FLOAT, row, degree > 0 ? (float) (1 / Math.sqrt(degree)) : 0);
    }
  }

  private static double of(Csr in, int row) {
    if (in.weights() == null) {
      return in.degree(row);
    }
    double sum = 0;
    long end = in.offset(row + 1);
    for (long arc = in.offset(row); arc < end; arc++) {
      sum += in.weight(arc);
    }
    return sum;
  }
}
