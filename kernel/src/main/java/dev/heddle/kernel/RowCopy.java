package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/** Copies chosen rows next to each other, {@code target[i] = source[ids[i]]}, some at a time. */
public final class RowCopy {
  private RowCopy() {}

  /** From rows of float32. */
  public static RowWork of(Matrix source, RowIds ids, Matrix target) {
    check(source.cols() == target.cols(), source, target);
    long bytes = (long) source.stride() * Float.BYTES;
    return (_, from, to) -> {
      RowsAhead.bring(source.data(), bytes, ids.values(), from, to - from);
      for (int row = from; row < to; row++) {
        MemorySegment.copy(
            source.data(), source.offset(ids.at(row)), target.data(), target.offset(row), bytes);
      }
    };
  }

  /** From rows stored in half width. */
  public static RowWork of(HalfMatrix source, RowIds ids, Matrix target) {
    check(source.cols() == target.cols(), source, target);
    long bytes = HalfMatrix.rowBytes(source.cols());
    return (_, from, to) -> {
      RowsAhead.bring(source.data(), bytes, ids.values(), from, to - from);
      RowKernels kernels = Kernels.rows();
      for (int row = from; row < to; row++) {
        kernels.widen(source, ids.at(row), target, row);
      }
    };
  }

  private static void check(boolean fits, Object source, Matrix target) {
    if (!fits) {
      throw new IllegalArgumentException("rows of " + source + " do not fit " + target);
    }
  }
}
