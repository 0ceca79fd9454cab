package dev.heddle.comm;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sums many matrices over all workers in one go, as gradients of parameters are: one message per
 * peer instead of one per matrix, and no padding. Made once; a round allocates nothing.
 */
public final class MatrixSum {
  private final Group group;
  private final Kind kind;
  private final List<Matrix> matrices;
  private final MemorySegment flat;
  private @Nullable Pending pending;

  private MatrixSum(Group group, Kind kind, List<Matrix> matrices, MemorySegment flat) {
    this.group = group;
    this.kind = kind;
    this.matrices = List.copyOf(matrices);
    this.flat = flat;
  }

  /** A sum of the same matrices, again and again. */
  public static MatrixSum of(Group group, Memory memory, Kind kind, List<Matrix> matrices) {
    long floats = 0;
    for (Matrix m : matrices) {
      floats += (long) m.rows() * m.cols();
    }
    MemorySegment flat = memory.allocateFloats(floats).asSlice(0, floats * Float.BYTES);
    return new MatrixSum(group, kind, matrices, flat);
  }

  /** Copies the matrices and starts to sum them; they are free until {@link #finish}. */
  public void start() {
    long at = 0;
    for (Matrix m : matrices) {
      long width = (long) m.cols() * Float.BYTES;
      for (int row = 0; row < m.rows(); row++, at += width) {
        MemorySegment.copy(m.data(), m.offset(row), flat, at, width);
      }
    }
    pending = group.startSum(kind, flat);
  }

  /** Waits for the sums and writes them into the matrices. */
  public void finish() {
    if (pending == null) {
      throw new IllegalStateException("there is no sum to finish");
    }
    pending.await();
    pending = null;
    long at = 0;
    for (Matrix m : matrices) {
      long width = (long) m.cols() * Float.BYTES;
      for (int row = 0; row < m.rows(); row++, at += width) {
        MemorySegment.copy(flat, at, m.data(), m.offset(row), width);
      }
    }
  }
}
