package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;

/**
 * Whole numbers as names.
 *
 * @param values a long per vertex, no two the same
 * @param sorted the vertices, an int each, by rising name
 */
public record LongIds(MemorySegment values, MemorySegment sorted, int rows) implements VertexIds {

  /** Names from an array; a name that comes twice is refused. */
  public static LongIds of(Memory memory, long[] names) {
    MemorySegment values = memory.allocateLongs(names.length);
    MemorySegment.copy(names, 0, values, JAVA_LONG, 0, names.length);
    int[] order = IndexSort.of(names.length, (a, b) -> Long.compare(names[a], names[b]));
    for (int i = 1; i < order.length; i++) {
      if (names[order[i]] == names[order[i - 1]]) {
        throw new IllegalArgumentException("two vertices are called " + names[order[i]]);
      }
    }
    MemorySegment sorted = memory.allocateInts(order.length);
    MemorySegment.copy(order, 0, sorted, JAVA_INT, 0, order.length);
    return new LongIds(values, sorted, names.length);
  }

  /** The name as a number. */
  public long longAt(int vertex) {
    return values.getAtIndex(JAVA_LONG, vertex);
  }

  @Override
  public int sortedAt(int rank) {
    return sorted.getAtIndex(JAVA_INT, rank);
  }

  @Override
  public String at(int vertex) {
    return Long.toString(longAt(vertex));
  }

  @Override
  public int find(String id) {
    long wanted;
    try {
      wanted = Long.parseLong(id);
    } catch (NumberFormatException _) {
      return NONE;
    }
    int from = 0;
    int to = rows;
    while (from < to) {
      int middle = (from + to) >>> 1;
      int vertex = sortedAt(middle);
      long name = longAt(vertex);
      if (name == wanted) {
        return vertex;
      }
      if (name < wanted) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return NONE;
  }
}
