package dev.heddle.kernel;

import static dev.heddle.kernel.RawMemory.ADDRESS;
import static dev.heddle.kernel.RawMemory.ALL;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Some columns of rows of a matrix, each as likely as any other, without replacement; all where
 * there are no more. By Floyd's algorithm (Bentley & Floyd, CACM 1987), which takes as many draws
 * as columns, keyed by row.
 *
 * @param most columns of a row, at most {@link #MOST}
 */
public record UniformColumns(Csr csr, int most) {
  /** Columns that can be chosen of a row: what is taken is looked for among them one by one. */
  public static final int MOST = 64;

  /** Taken from what was read, so that no compiler leaves the reading out. */
  static long seen;

  public UniformColumns {
    if (most < 0 || most > MOST) {
      throw new IllegalArgumentException("at most " + MOST + " columns of a row, not " + most);
    }
  }

  /**
   * Chooses columns of the listed rows {@code from} to {@code to} (exclusive).
   *
   * <p>Positions first, of all rows, and then the columns there: so many reads that do not wait for
   * each other can be under way at once.
   *
   * @param offsets longs: where the columns of each listed row are written
   * @param into ints
   */
  public void draw(
      long key, RowIds rows, int from, int to, MemorySegment offsets, MemorySegment into) {
    check(rows.values(), from, to, offsets, into);
    long row = rows.values().address() & ADDRESS;
    long start = offsets.address() & ADDRESS;
    long offset = csr.offsets().address() & ADDRESS;
    long out = into.address() & ADDRESS;
    long column = csr.ids().address() & ADDRESS;
    long room = into.byteSize() / Integer.BYTES;
    long arcs = csr.arcCapacity();
    int limit = csr.rows();
    bring(row, offset, from, to, limit);
    for (int i = from; i < to; i++) {
      int v = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, row + 4L * i), limit);
      long first = ALL.get(JAVA_LONG_UNALIGNED, offset + 8L * v);
      long degree = ALL.get(JAVA_LONG_UNALIGNED, offset + 8L * v + 8) - first;
      Objects.checkFromIndexSize(first, degree, arcs);
      long at = ALL.get(JAVA_LONG_UNALIGNED, start + 8L * i);
      Objects.checkFromIndexSize(at, Math.min(degree, most), room);
      long to4 = out + 4 * at;
      if (degree > most) {
        choose((int) degree, most, Draws.at(key, v), to4);
      } else {
        for (int j = 0; j < degree; j++) {
          ALL.set(JAVA_INT_UNALIGNED, to4 + 4L * j, j);
        }
      }
    }
    for (int i = from; i < to; i++) {
      int v = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, row + 4L * i), limit);
      long first = ALL.get(JAVA_LONG_UNALIGNED, offset + 8L * v);
      long degree = ALL.get(JAVA_LONG_UNALIGNED, offset + 8L * v + 8) - first;
      int count = (int) Math.min(degree, most);
      long at = ALL.get(JAVA_LONG_UNALIGNED, start + 8L * i);
      long from4 = (column + 4 * first) & ADDRESS;
      long to4 = (out + 4 * at) & ADDRESS;
      for (int j = 0; j < count; j++) {
        int position = ALL.get(JAVA_INT_UNALIGNED, to4 + 4L * j);
        ALL.set(
            JAVA_INT_UNALIGNED, to4 + 4L * j, ALL.get(JAVA_INT_UNALIGNED, from4 + 4L * position));
      }
    }
  }

  /** Where the listed rows begin, read side by side: choosing waits for it row by row. */
  private static void bring(long row, long offset, int from, int to, int limit) {
    long rows = row & ADDRESS;
    long offsets = offset & ADDRESS;
    long all = 0;
    for (int i = from; i < to; i++) {
      int v = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, rows + 4L * i), limit);
      all |= ALL.get(JAVA_LONG_UNALIGNED, offsets + 8L * v);
    }
    seen = all;
  }

  private void check(
      MemorySegment listed, int from, int to, MemorySegment offsets, MemorySegment into) {
    RawMemory.require(listed);
    RawMemory.require(offsets);
    RawMemory.require(into);
    RawMemory.require(csr.offsets());
    RawMemory.require(csr.ids());
    Objects.checkFromToIndex(from, to, listed.byteSize() / Integer.BYTES);
    Objects.checkFromToIndex(from, to, offsets.byteSize() / Long.BYTES);
    Objects.checkIndex(csr.rows(), csr.offsets().byteSize() / Long.BYTES);
  }

  /** Writes {@code most} of the positions below {@code degree}, which are more, as ints. */
  public static void positions(int degree, int most, long key, MemorySegment into, long at) {
    RawMemory.require(into);
    Objects.checkIndex(most, degree);
    Objects.checkIndex(most, MOST + 1);
    Objects.checkFromIndexSize(at, most, into.byteSize() / Integer.BYTES);
    choose(degree, most, key, into.address() + 4 * at);
  }

  private static void choose(int degree, int most, long key, long address) {
    long to = address & ADDRESS;
    if (degree <= Long.SIZE) {
      long taken = 0;
      for (int i = 0; i < most; i++) {
        int last = degree - most + i;
        int position = Draws.below(Draws.at(key, last), last + 1);
        position = (taken >>> position & 1) != 0 ? last : position;
        taken |= 1L << position;
        ALL.set(JAVA_INT_UNALIGNED, to + 4L * i, position);
      }
      return;
    }
    for (int i = 0; i < most; i++) {
      int last = degree - most + i;
      int position = Draws.below(Draws.at(key, last), last + 1);
      boolean taken = false;
      for (int j = 0; j < i; j++) {
        taken |= ALL.get(JAVA_INT_UNALIGNED, to + 4L * j) == position;
      }
      ALL.set(JAVA_INT_UNALIGNED, to + 4L * i, taken ? last : position);
    }
  }
}
