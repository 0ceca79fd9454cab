package dev.heddle.nn.program;

import dev.heddle.kernel.Matrix;
import java.lang.foreign.MemorySegment;

/** Zeroes the rows of a gradient that an operation on the first rows leaves untouched. */
final class RowRest {
  private RowRest() {}

  static void zero(Matrix grad, int from, int to) {
    if (from < to) {
      MemorySegment data = grad.data();
      data.asSlice(grad.offset(from), grad.offset(to) - grad.offset(from)).fill((byte) 0);
    }
  }
}
