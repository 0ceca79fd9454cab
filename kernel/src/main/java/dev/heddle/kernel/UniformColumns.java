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
 * @param csr rows that columns are chosen of
 * @param most columns of a row, at most {@link #MOST}
 */
public record UniformColumns(Csr csr, int most) {
  /** Columns that can be chosen of a row: what is taken is looked for among them one by one. */
  public static final int MOST = 64;

  /**
   * Columns of rows that are read before any are chosen: few cache lines, of which most columns are
   * chosen. Of longer rows too much would be read in vain.
   */
  private static final int SHORT = 32;

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
   * @param key of all rows: what is drawn for one depends on it and on the row's number
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
    long room = into.byteSize() / Integer.BYTES;
    int limit = csr.rows();
    prefetch(row, from, to);
    for (int i = from; i < to; i++) {
      int v = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, row + 4L * i), limit);
      long at = ALL.get(JAVA_LONG_UNALIGNED, start + 8L * i);
      int count = count(offset, v, at, room);
      place(count, Draws.at(key, v), out + 4 * at);
    }
    replace(row, from, to, start, into.address());
  }

  /**
   * Chooses columns of the listed rows {@code from} to {@code to} (exclusive), which have a key
   * each.
   *
   * @param keys longs: the key of each listed row
   * @param offsets longs: where the columns of each listed row are written
   * @param into ints
   */
  public void draw(
      MemorySegment keys,
      RowIds rows,
      int from,
      int to,
      MemorySegment offsets,
      MemorySegment into) {
    check(rows.values(), from, to, offsets, into);
    RawMemory.require(keys);
    Objects.checkFromToIndex(from, to, keys.byteSize() / Long.BYTES);
    long row = rows.values().address() & ADDRESS;
    long key = keys.address() & ADDRESS;
    long start = offsets.address() & ADDRESS;
    long offset = csr.offsets().address() & ADDRESS;
    long out = into.address() & ADDRESS;
    long room = into.byteSize() / Integer.BYTES;
    int limit = csr.rows();
    prefetch(row, from, to);
    for (int i = from; i < to; i++) {
      int v = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, row + 4L * i), limit);
      long at = ALL.get(JAVA_LONG_UNALIGNED, start + 8L * i);
      int count = count(offset, v, at, room);
      place(count, Draws.at(ALL.get(JAVA_LONG_UNALIGNED, key + 8L * i), v), out + 4 * at);
    }
    replace(row, from, to, start, into.address());
  }

  /** The degree of a row whose columns are written from {@code at} on, if there is room for all. */
  private int count(long offset, int v, long at, long room) {
    long first = ALL.get(JAVA_LONG_UNALIGNED, offset + 8L * v);
    long degree = ALL.get(JAVA_LONG_UNALIGNED, offset + 8L * v + 8) - first;
    Objects.checkFromIndexSize(first, degree, csr.arcCapacity());
    Objects.checkFromIndexSize(at, Math.min(degree, most), room);
    return (int) degree;
  }

  /** Writes which columns a row gets, as positions among the row's own. */
  private void place(int degree, long key, long address) {
    if (degree > most) {
      choose(degree, most, key, address);
      return;
    }
    long to = address & ADDRESS;
    for (int j = 0; j < degree; j++) {
      ALL.set(JAVA_INT_UNALIGNED, to + 4L * j, j);
    }
  }

  /** Replaces positions, which were checked when they were written, by the columns there. */
  private void replace(long rows, int from, int to, long starts, long into) {
    long row = rows & ADDRESS;
    long start = starts & ADDRESS;
    long offset = csr.offsets().address() & ADDRESS;
    long column = csr.ids().address() & ADDRESS;
    long out = into & ADDRESS;
    int limit = csr.rows();
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

  /**
   * Reads where the listed rows begin, and then the first and the last column of short ones. Reads
   * that do not wait for each other are under way together, where choosing would wait row by row.
   */
  private void prefetch(long rows, int from, int to) {
    long row = rows & ADDRESS;
    long offset = csr.offsets().address() & ADDRESS;
    int limit = csr.rows();
    long all = 0;
    for (int i = from; i < to; i++) {
      int v = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, row + 4L * i), limit);
      all |= ALL.get(JAVA_LONG_UNALIGNED, offset + 8L * v);
    }
    long column = csr.ids().address() & ADDRESS;
    long arcs = csr.arcCapacity();
    for (int i = from; i < to; i++) {
      int v = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, row + 4L * i), limit);
      long first = ALL.get(JAVA_LONG_UNALIGNED, offset + 8L * v);
      long degree = ALL.get(JAVA_LONG_UNALIGNED, offset + 8L * v + 8) - first;
      if (degree > 0 && degree <= SHORT) {
        long from4 = (column + 4 * Objects.checkFromIndexSize(first, degree, arcs)) & ADDRESS;
        all |= ALL.get(JAVA_INT_UNALIGNED, from4);
        all |= ALL.get(JAVA_INT_UNALIGNED, from4 + 4 * degree - 4);
      }
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
