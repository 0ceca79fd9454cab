package dev.heddle.comm;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.PackedHalves;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sums many matrices over all workers in one go, as gradients of parameters are: one message per
 * peer instead of one per matrix, and no padding. Made once; a round allocates nothing. In a group
 * of one the matrices stay as they are, and no memory is taken.
 */
public final class MatrixSum {
  private final Group group;
  private final Kind kind;
  private final List<Matrix> matrices;
  private final boolean half;
  private final MemorySegment flat;
  private @Nullable Pending pending;

  private MatrixSum(Group group, What what, List<Matrix> matrices, Memory memory) {
    this.group = group;
    kind = what.kind;
    half = what.half;
    // Alone there is nothing to move.
    this.matrices = group.size() == 1 ? List.of() : List.copyOf(matrices);
    long elements = 0;
    for (Matrix m : this.matrices) {
      elements += (long) m.rows() * m.cols();
    }
    long bytes = elements * (half ? Short.BYTES : Float.BYTES);
    flat = bytes == 0 ? MemorySegment.NULL : memory.allocate(bytes).asSlice(0, bytes);
  }

  private record What(Kind kind, boolean half) {}

  /** A sum of the same matrices, again and again. */
  public static MatrixSum of(Group group, Memory memory, Kind kind, List<Matrix> matrices) {
    return new MatrixSum(group, new What(kind, false), matrices, memory);
  }

  /**
   * A sum in half the bytes: what each worker adds, and the sums, are rounded to bfloat16. All
   * workers still end with the same bits. A worker that is alone rounds nothing.
   */
  public static MatrixSum halved(Group group, Memory memory, Kind kind, List<Matrix> matrices) {
    return new MatrixSum(group, new What(kind, true), matrices, memory);
  }

  /** Copies the matrices and starts to sum them; they are free until {@link #finish}. */
  public void start() {
    long at = 0;
    for (Matrix m : matrices) {
      at = half ? PackedHalves.narrow(m, flat, at) : copyFrom(m, at);
    }
    pending = half ? group.startHalfSum(kind, flat) : group.startSum(kind, flat);
  }

  /** Waits for the sums, and makes this worker's part of them. */
  public void await() {
    if (pending == null) {
      throw new IllegalStateException("there is no sum to finish");
    }
    pending.await();
    pending = Group.NOTHING;
  }

  /** Waits for the sums, unless they were {@linkplain #await awaited}, and writes the matrices. */
  public void finish() {
    await();
    pending = null;
    long at = 0;
    for (Matrix m : matrices) {
      at = half ? PackedHalves.widen(flat, at, m) : copyTo(m, at);
    }
  }

  private long copyFrom(Matrix m, long offset) {
    long at = offset;
    long width = (long) m.cols() * Float.BYTES;
    for (int row = 0; row < m.rows(); row++, at += width) {
      MemorySegment.copy(m.data(), m.offset(row), flat, at, width);
    }
    return at;
  }

  private long copyTo(Matrix m, long offset) {
    long at = offset;
    long width = (long) m.cols() * Float.BYTES;
    for (int row = 0; row < m.rows(); row++, at += width) {
      MemorySegment.copy(flat, at, m.data(), m.offset(row), width);
    }
    return at;
  }
}
