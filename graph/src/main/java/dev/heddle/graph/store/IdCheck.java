package dev.heddle.graph.store;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.graph.LongIds;
import dev.heddle.graph.StringIds;
import dev.heddle.graph.VertexIds;
import dev.heddle.graph.store.ParallelCheck.Fault;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Checks what the user calls the vertices: different names, and an index that finds them. */
final class IdCheck {
  private static final long EACH = 1 << 16;
  private static final String SORTED = Names.USER_IDS + Names.SORTED;
  private static final String OFFSETS = Names.USER_IDS + Names.OFFSETS;

  private final ParallelCheck check;
  private final StoreArrays arrays;
  private final int vertices;

  private IdCheck(ParallelCheck check, StoreArrays arrays, int vertices) {
    this.check = check;
    this.arrays = arrays;
    this.vertices = vertices;
  }

  static void run(ParallelCheck check, StoreArrays arrays, int vertices) {
    new IdCheck(check, arrays, vertices).run();
  }

  private void run() {
    boolean text = arrays.has(OFFSETS);
    MemorySegment names = arrays.vector(Names.USER_IDS);
    MemorySegment sorted = arrays.vector(SORTED);
    if (text) {
      offsets(arrays.vector(OFFSETS), arrays.rows(Names.USER_IDS));
    }
    check.run(vertices, EACH, (from, to) -> range(sorted, from, to));
    VertexIds ids =
        text
            ? new StringIds(arrays.vector(OFFSETS), names, sorted, vertices)
            : new LongIds(names, sorted, vertices);
    check.run(vertices, EACH, (from, to) -> order(ids, (int) from, (int) to));
  }

  private void offsets(MemorySegment offsets, long bytes) {
    check.run(
        vertices + 1L,
        EACH,
        (from, to) -> {
          long previous = from == 0 ? 0 : offsets.getAtIndex(JAVA_LONG, from - 1);
          for (long v = from; v < to; v++) {
            long offset = offsets.getAtIndex(JAVA_LONG, v);
            boolean first = v == 0 && offset != 0;
            boolean last = v == vertices && offset != bytes;
            if (offset < previous || offset > bytes || first || last) {
              return new Fault(OFFSETS, "value " + v + " is " + offset + ", after " + previous);
            }
            previous = offset;
          }
          return null;
        });
  }

  private @Nullable Fault range(MemorySegment sorted, long from, long to) {
    for (long i = from; i < to; i++) {
      int vertex = sorted.getAtIndex(JAVA_INT, i);
      if (vertex < 0 || vertex >= vertices) {
        return new Fault(SORTED, "value " + i + " is no vertex: " + vertex);
      }
    }
    return null;
  }

  /** Names that rise strictly are all different, and so are the vertices that have them. */
  private static @Nullable Fault order(VertexIds ids, int from, int to) {
    for (int i = Math.max(1, from); i < to; i++) {
      int before = ids.sortedAt(i - 1);
      int vertex = ids.sortedAt(i);
      int order =
          switch (ids) {
            case LongIds longs -> Long.compare(longs.longAt(before), longs.longAt(vertex));
            case StringIds strings ->
                Arrays.compareUnsigned(strings.bytesAt(before), strings.bytesAt(vertex));
          };
      if (order >= 0) {
        return new Fault(
            SORTED,
            "vertices " + before + " and " + vertex + " are in the wrong order or called the same");
      }
    }
    return null;
  }
}
