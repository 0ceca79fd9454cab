package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.util.Arrays;

/**
 * Sorts the arcs of a bucket by row and id, equal ones becoming one. Used for one after another.
 */
final class SortedRows {
  private int[] ids = new int[0];

  /** Where a row's arcs end; before sorting, where the next one goes. */
  private int[] ends = new int[0];

  private int firstRow;
  private int rows;
  private int size;

  void sort(ArcBuckets buckets, int bucket) {
    firstRow = buckets.firstRow(bucket);
    rows = buckets.endRow(bucket) - firstRow;
    FileChannel file = buckets.file(bucket);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment arcs = file.map(FileChannel.MapMode.READ_ONLY, 0, file.size(), arena);
      load(arcs, Math.toIntExact(file.size() / (2 * Integer.BYTES)));
    } catch (IOException e) {
      throw new UncheckedIOException("arcs cannot be read back: " + e.getMessage(), e);
    }
    int to = 0;
    int from = 0;
    for (int row = 0; row < rows; row++) {
      int end = ends[row];
      Arrays.sort(ids, from, end);
      int begin = to;
      for (int i = from; i < end; i++) {
        if (to == begin || ids[i] != ids[to - 1]) {
          ids[to++] = ids[i];
        }
      }
      from = end;
      ends[row] = to;
    }
    size = to;
  }

  private void load(MemorySegment arcs, int count) {
    if (ids.length < count) {
      ids = new int[count + count / 8];
    }
    if (ends.length < rows + 1) {
      ends = new int[rows + 1];
    }
    Arrays.fill(ends, 0);
    for (long i = 0; i < count; i++) {
      int row = arcs.getAtIndex(JAVA_INT, 2 * i) - firstRow;
      ends[row + 1]++;
    }
    for (int row = 0; row < rows; row++) {
      ends[row + 1] += ends[row];
    }
    for (long i = 0; i < count; i++) {
      int row = arcs.getAtIndex(JAVA_INT, 2 * i) - firstRow;
      ids[ends[row]++] = arcs.getAtIndex(JAVA_INT, 2 * i + 1);
    }
  }

  int firstRow() {
    return firstRow;
  }

  int rows() {
    return rows;
  }

  /** Arcs of all rows. */
  int size() {
    return size;
  }

  /** Where the arcs of a row end, rows being counted from {@link #firstRow}. */
  int end(int row) {
    return ends[row];
  }

  int id(int arc) {
    return ids[arc];
  }

  /** The ids, of which the first {@link #size} count. */
  MemorySegment ids() {
    return MemorySegment.ofArray(ids);
  }
}
