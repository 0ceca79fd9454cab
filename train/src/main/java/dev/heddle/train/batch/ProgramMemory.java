package dev.heddle.train.batch;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * How many rows the programs of a run have room for at each depth, and the memory of values and
 * gradients that they use in turn. Both grow when a batch needs it, with an eighth to spare.
 */
final class ProgramMemory {
  private final Memory parent;
  private int[] capacity = new int[0];
  private Memory memory;
  private MemorySegment values;

  ProgramMemory(Memory parent) {
    this.parent = parent;
    memory = parent.child();
    values = memory.allocate(0);
  }

  /** Makes room for so many rows at a depth. */
  void fit(int depth, int count) {
    if (depth >= capacity.length) {
      capacity = Arrays.copyOf(capacity, depth + 1);
    }
    if (count > capacity[depth] || capacity[depth] == 0) {
      capacity[depth] = Math.max(1, count + count / 8);
    }
    if (depth > 0) {
      // Which of two depths has fewer rows is told by their capacities.
      capacity[depth] = Math.max(capacity[depth], capacity[depth - 1]);
    }
  }

  /** The most rows at a depth. */
  int capacity(int depth) {
    return capacity[depth];
  }

  /** Memory of so many bytes, which may lie elsewhere than before. */
  MemorySegment require(long bytes) {
    if (bytes > values.byteSize()) {
      memory.close();
      memory = parent.child();
      values = memory.allocate(bytes);
    }
    return values;
  }
}
