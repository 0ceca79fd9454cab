package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Text as names, in UTF-8.
 *
 * @param offsets a long per vertex and one more: where its bytes begin
 * @param bytes the names without anything between them
 * @param sorted the vertices, an int each, by rising name; bytes are compared as unsigned numbers
 */
public record StringIds(MemorySegment offsets, MemorySegment bytes, MemorySegment sorted, int rows)
    implements VertexIds {

  /** Names from a list; a name that comes twice is refused. */
  public static StringIds of(Memory memory, List<String> names) {
    byte[][] encoded =
        names.stream().map(n -> n.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
    MemorySegment offsets = memory.allocateLongs(encoded.length + 1L);
    long end = 0;
    for (int v = 0; v < encoded.length; v++) {
      end += encoded[v].length;
      offsets.setAtIndex(JAVA_LONG, v + 1L, end);
    }
    MemorySegment bytes = memory.allocate(end);
    for (int v = 0; v < encoded.length; v++) {
      long at = offsets.getAtIndex(JAVA_LONG, v);
      MemorySegment.copy(encoded[v], 0, bytes, JAVA_BYTE, at, encoded[v].length);
    }
    int[] order =
        IndexSort.of(encoded.length, (a, b) -> Arrays.compareUnsigned(encoded[a], encoded[b]));
    for (int i = 1; i < order.length; i++) {
      if (Arrays.equals(encoded[order[i]], encoded[order[i - 1]])) {
        throw new IllegalArgumentException("two vertices are called " + names.get(order[i]));
      }
    }
    MemorySegment sorted = memory.allocateInts(order.length);
    MemorySegment.copy(order, 0, sorted, JAVA_INT, 0, order.length);
    return new StringIds(offsets, bytes, sorted, encoded.length);
  }

  /** The bytes of a name. */
  public byte[] bytesAt(int vertex) {
    long from = offsets.getAtIndex(JAVA_LONG, vertex);
    long to = offsets.getAtIndex(JAVA_LONG, vertex + 1L);
    return bytes.asSlice(from, to - from).toArray(JAVA_BYTE);
  }

  @Override
  public int sortedAt(int rank) {
    return sorted.getAtIndex(JAVA_INT, rank);
  }

  @Override
  public String at(int vertex) {
    return new String(bytesAt(vertex), StandardCharsets.UTF_8);
  }

  @Override
  public int find(String id) {
    byte[] wanted = id.getBytes(StandardCharsets.UTF_8);
    int from = 0;
    int to = rows;
    while (from < to) {
      int middle = (from + to) >>> 1;
      int vertex = sortedAt(middle);
      int order = Arrays.compareUnsigned(bytesAt(vertex), wanted);
      if (order == 0) {
        return vertex;
      }
      if (order < 0) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return NONE;
  }
}
