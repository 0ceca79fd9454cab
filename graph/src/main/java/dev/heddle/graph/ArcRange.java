package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.heddle.graph.store.ArrayWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The arcs of a range of destinations, sorted in memory: by destination by counting, those of one
 * by source, type, time and weight. Used for one range after another.
 */
final class ArcRange {
  private final ArcSorter.Form form;

  /** Source above, place among the arcs as they were read below. */
  private long[] keys = new long[0];

  private float[] weights = new float[0];
  private int[] types = new int[0];
  private long[] times = new long[0];

  /** Where a row's arcs end; while they are loaded, where the next one goes. */
  private int[] ends = new int[0];

  private int size;

  ArcRange(ArcSorter.Form form) {
    this.form = form;
  }

  void sort(FileChannel file, int firstRow, int rows) throws IOException {
    int count = Math.toIntExact(file.size() / form.bytes());
    reserve(count, rows);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment arcs =
          count == 0
              ? MemorySegment.NULL
              : file.map(FileChannel.MapMode.READ_ONLY, 0, file.size(), arena);
      load(arcs, count, firstRow, rows);
    }
    int to = 0;
    int from = 0;
    for (int row = 0; row < rows; row++) {
      int end = ends[row];
      Arrays.sort(keys, from, end);
      orderRepeated(from, end);
      to = form.merged() ? merge(from, end, to) : end;
      from = end;
      ends[row] = to;
    }
    size = to;
  }

  private void reserve(int count, int rows) {
    int room = count + count / 8;
    if (keys.length < count) {
      keys = new long[room];
      weights = form.weights() ? new float[room] : weights;
      types = form.types() ? new int[room] : types;
      times = form.times() ? new long[room] : times;
    }
    if (ends.length < rows + 1) {
      ends = new int[rows + 1];
    }
    Arrays.fill(ends, 0);
  }

  private void load(MemorySegment arcs, int count, int firstRow, int rows) {
    int bytes = form.bytes();
    for (int i = 0; i < count; i++) {
      ends[arcs.get(JAVA_INT_UNALIGNED, (long) i * bytes) - firstRow + 1]++;
    }
    for (int row = 0; row < rows; row++) {
      ends[row + 1] += ends[row];
    }
    for (int i = 0; i < count; i++) {
      long at = (long) i * bytes;
      int row = arcs.get(JAVA_INT_UNALIGNED, at) - firstRow;
      keys[ends[row]++] = ((long) arcs.get(JAVA_INT_UNALIGNED, at + 4) << 32) | i;
      at += 8;
      if (form.weights()) {
        weights[i] = arcs.get(JAVA_FLOAT_UNALIGNED, at);
        at += Float.BYTES;
      }
      if (form.types()) {
        types[i] = arcs.get(JAVA_INT_UNALIGNED, at);
        at += Integer.BYTES;
      }
      if (form.times()) {
        times[i] = arcs.get(JAVA_LONG_UNALIGNED, at);
      }
    }
  }

  private static int id(long key) {
    return (int) (key >>> 32);
  }

  /** Arcs between the same ends by type, time and weight, not as they came. */
  private void orderRepeated(int from, int end) {
    for (int begin = from; begin < end; ) {
      int after = begin + 1;
      while (after < end && id(keys[after]) == id(keys[begin])) {
        after++;
      }
      if (after - begin > 1 && form.bytes() > 8) {
        long[] ordered =
            Arrays.stream(keys, begin, after)
                .boxed()
                .sorted((a, b) -> compare(a.intValue(), b.intValue()))
                .mapToLong(Long::longValue)
                .toArray();
        System.arraycopy(ordered, 0, keys, begin, ordered.length);
      }
      begin = after;
    }
  }

  private int compare(int a, int b) {
    int order = form.types() ? Integer.compare(types[a], types[b]) : 0;
    order = order == 0 && form.times() ? Long.compare(times[a], times[b]) : order;
    return order == 0 && form.weights() ? Float.compare(weights[a], weights[b]) : order;
  }

  /** Makes one arc of those between the same ends and of the same type. */
  private int merge(int from, int end, int to) {
    int begin = to;
    for (int i = from; i < end; i++) {
      int place = (int) keys[i];
      int last = to == begin ? -1 : (int) keys[to - 1];
      if (last < 0
          || id(keys[to - 1]) != id(keys[i])
          || (form.types() && types[last] != types[place])) {
        keys[to++] = keys[i];
        continue;
      }
      if (form.weights()) {
        weights[last] += weights[place];
      }
      if (form.times()) {
        times[last] = Math.max(times[last], times[place]);
      }
    }
    return to;
  }

  /** Arcs of all rows. */
  int size() {
    return size;
  }

  /** Where the arcs of a row end, rows being counted from the first of the range. */
  int end(int row) {
    return ends[row];
  }

  void write(
      ArrayWriter ids,
      @Nullable ArrayWriter weightWriter,
      @Nullable ArrayWriter typeWriter,
      @Nullable ArrayWriter timeWriter) {
    for (int i = 0; i < size; i++) {
      int place = (int) keys[i];
      ids.writeInt(id(keys[i]));
      if (weightWriter != null) {
        weightWriter.writeFloat(weights[place]);
      }
      if (typeWriter != null) {
        typeWriter.writeShort((short) types[place]);
      }
      if (timeWriter != null) {
        timeWriter.writeLong(times[place]);
      }
    }
  }
}
