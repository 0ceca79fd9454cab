package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/**
 * What rows are called by everyone, where their index is this worker's own affair: draws are keyed
 * by it, so that they do not depend on who has a row.
 *
 * @param values an int per row
 */
public record RowIds(MemorySegment values) {
  /** Ids from an array. */
  public static RowIds of(Memory memory, int[] ids) {
    MemorySegment copy = memory.allocateInts(ids.length);
    MemorySegment.copy(ids, 0, copy, JAVA_INT, 0, ids.length);
    return new RowIds(copy);
  }

  public int at(int row) {
    return values.getAtIndex(JAVA_INT, row);
  }
}
