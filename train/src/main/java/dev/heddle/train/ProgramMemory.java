package dev.heddle.train;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * How many rows the programs of a run have room for at each depth, and the memory of values and
 * gradients that they use in turn. Both grow when a batch needs it, with an eighth to spare.
 */
final class ProgramMemory implements AutoCloseable {
  private final Memory beside;
  private int[] rows = new int[0];
  private Memory memory;
  private MemorySegment values;
  private int generation;

  ProgramMemory(Memory beside) {
    this.beside = beside;
    memory = beside.child();
    values = memory.allocate(0);
  }

  /** Makes room for so many rows at a depth. */
  void fit(int depth, int count) {
    if (depth >= rows.length) {
      rows = Arrays.copyOf(rows, depth + 1);
    }
    if (count > rows[depth] || rows[depth] == 0) {
      rows[depth] = Math.max(1, count + count / 8);
      generation++;
    }
  }

  int rows(int depth) {
    return rows[depth];
  }

  /** So many bytes, which may be others than before. */
  MemorySegment require(long bytes) {
    if (bytes > values.byteSize()) {
      memory.close();
      memory = beside.child();
      values = memory.allocate(bytes);
      generation++;
    }
    return values;
  }

  /** Changes whenever there is more room than before, for rows or for what is computed of them. */
  int generation() {
    return generation;
  }

  @Override
  public void close() {
    memory.close();
  }
}
