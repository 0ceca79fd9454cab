package dev.heddle.nn.program;

import dev.heddle.kernel.Combine;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Workers;

/** Zeroes the rows of a gradient that an operation on the first rows leaves untouched. */
final class RowRest {
  private RowRest() {}

  static void zero(Matrix grad, int from, int to) {}
}
