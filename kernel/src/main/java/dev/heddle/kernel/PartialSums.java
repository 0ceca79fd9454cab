package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/**
 * What each part of the rows adds to a small matrix, a weight's gradient; summed in the order of
 * the parts, whichever threads made them.
 */
final class PartialSums {
  static final PartialSums EMPTY = new PartialSums(new Matrix[0], MemorySegment.NULL);

  /** Floats that a task of the final sum takes. */
  private static final int SUM_FLOATS = 4096;

  private final Matrix[] parts;
  private final MemorySegment memory;
  private final Task sumTask = this::sum;
  private int count;
  private Matrix total = Matrix.EMPTY;

  private PartialSums(Matrix[] parts, MemorySegment memory) {
    this.parts = parts;
    this.memory = memory;
  }

  /** Partial sums of a {@code k × n} matrix over {@link #bytes} of memory. */
  static PartialSums over(MemorySegment memory, int k, int n) {
    long size = Matrix.bytes(k, n);
    Matrix[] parts = new Matrix[RowBlocks.MAX_PARTS];
    for (int p = 0; p < parts.length; p++) {
      parts[p] = Matrix.over(memory.asSlice(p * size, size), k, n);
    }
    return new PartialSums(parts, memory);
  }

  static long bytes(int k, int n) {
    return RowBlocks.MAX_PARTS * Matrix.bytes(k, n);
  }

  /** Whether these are sums for such a matrix. */
  boolean fit(Matrix matrix) {
    return parts.length > 0 && parts[0].rows() == matrix.rows() && parts[0].cols() == matrix.cols();
  }

  Matrix part(int index) {
    return parts[index];
  }

  /** Adds the first parts to a matrix. */
  void addTo(ThreadTeam team, int partCount, Matrix target) {
    count = partCount;
    total = target;
    team.run((floats() + SUM_FLOATS - 1) / SUM_FLOATS, sumTask);
  }

  private int floats() {
    return total.rows() * total.stride();
  }

  private void sum(int task) {
    int from = task * SUM_FLOATS;
    long at = (long) from * Float.BYTES;
    Kernels.columns()
        .sum(
            memory,
            at,
            Matrix.bytes(total.rows(), total.cols()),
            count,
            Math.min(SUM_FLOATS, floats() - from),
            total.data(),
            at);
  }
}
