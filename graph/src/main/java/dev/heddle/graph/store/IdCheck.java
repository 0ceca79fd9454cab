package dev.heddle.graph.store;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.graph.GraphFormatException;
import dev.heddle.graph.LongIds;
import dev.heddle.graph.StringIds;
import dev.heddle.graph.VertexIds;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;

/** Checks what the user calls the vertices: different names, and an index that finds them. */
final class IdCheck {
  private final Path folder;
  private final StoreArrays arrays;
  private final int vertices;

  private IdCheck(Path folder, StoreArrays arrays, int vertices) {
    this.folder = folder;
    this.arrays = arrays;
    this.vertices = vertices;
  }

  static void run(Path folder, StoreArrays arrays, int vertices) {
    IdCheck check = new IdCheck(folder, arrays, vertices);
    boolean text = arrays.has(Names.USER_IDS + Names.OFFSETS);
    if (text) {
      check.offsets();
    }
    MemorySegment names = arrays.vector(Names.USER_IDS);
    MemorySegment sorted = arrays.vector(Names.USER_IDS + Names.SORTED);
    check.range(sorted);
    if (text) {
      MemorySegment offsets = arrays.vector(Names.USER_IDS + Names.OFFSETS);
      check.order(new StringIds(offsets, names, sorted, vertices));
    } else {
      check.order(new LongIds(names, sorted, vertices));
    }
  }

  private void offsets() {
    String name = Names.USER_IDS + Names.OFFSETS;
    MemorySegment offsets = arrays.vector(name);
    long bytes = arrays.rows(Names.USER_IDS);
    long previous = 0;
    for (int v = 0; v <= vertices; v++) {
      long offset = offsets.getAtIndex(JAVA_LONG, v);
      boolean first = v == 0 && offset != 0;
      boolean last = v == vertices && offset != bytes;
      if (offset < previous || offset > bytes || first || last) {
        throw fault(name, "value " + v + " is " + offset + ", after " + previous);
      }
      previous = offset;
    }
  }

  private void range(MemorySegment sorted) {
    for (int i = 0; i < vertices; i++) {
      int vertex = sorted.getAtIndex(JAVA_INT, i);
      if (vertex < 0 || vertex >= vertices) {
        throw fault(Names.USER_IDS + Names.SORTED, "value " + i + " is no vertex: " + vertex);
      }
    }
  }

  /** Names that rise strictly are all different, and so are the vertices that have them. */
  private void order(VertexIds ids) {
    for (int i = 1; i < vertices; i++) {
      int before = ids.sortedAt(i - 1);
      int vertex = ids.sortedAt(i);
      int order =
          switch (ids) {
            case LongIds longs -> Long.compare(longs.longAt(before), longs.longAt(vertex));
            case StringIds strings ->
                Arrays.compareUnsigned(strings.bytesAt(before), strings.bytesAt(vertex));
          };
      if (order >= 0) {
        throw fault(
            Names.USER_IDS + Names.SORTED,
            "vertices " + before + " and " + vertex + " are in the wrong order or called the same");
      }
    }
  }

  private GraphFormatException fault(String array, String fault) {
    return new GraphFormatException(folder.resolve(array), fault);
  }
}
