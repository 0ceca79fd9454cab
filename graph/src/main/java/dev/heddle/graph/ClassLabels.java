package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;

/**
 * One class per vertex.
 *
 * @param values an int per vertex, {@link #NONE} where the class is unknown
 * @param rows vertices
 * @param classes how many classes there are
 */
public record ClassLabels(MemorySegment values, int rows, int classes) implements Labels {
  /** The class of a vertex that has none. */
  public static final int NONE = -1;

  /** Labels from an array. */
  public static ClassLabels of(Memory memory, int[] values, int classes) {
    MemorySegment copy = memory.allocateInts(values.length);
    MemorySegment.copy(values, 0, copy, JAVA_INT, 0, values.length);
    return new ClassLabels(copy, values.length, classes);
  }

  public int at(int vertex) {
    return values.getAtIndex(JAVA_INT, vertex);
  }

  @Override
  public int width() {
    return classes;
  }
}
