package dev.heddle.kernel;

import static dev.heddle.kernel.RawMemory.ADDRESS;
import static dev.heddle.kernel.RawMemory.ALL;
import static dev.heddle.kernel.RawMemory.STRIDE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Brings scattered rows into the cache before they are copied or summed.
 *
 * <p>A processor looks a few hundred instructions ahead. Where a row takes many (bfloat16 is
 * widened by three where a float32 takes one), it sees few of the rows to come and waits for memory
 * one after the other. One read of each cache line, with nothing between, lets it ask for many at
 * once.
 */
final class RowsAhead {
  /** Bytes of rows to bring at once, of a second-level cache of at least 512 KB. */
  static final long BYTES = 1 << 17;

  private static final long LINE = 64;

  /** Taken from what was read, so that no compiler leaves the reading out. */
  static int seen;

  private RowsAhead() {}

  /** Brings the rows that {@code count} ints of {@code ids} name, from one on. */
  static void bring(MemorySegment rows, long rowBytes, MemorySegment ids, long first, int count) {
    RawMemory.require(rows);
    RawMemory.require(ids);
    Objects.checkFromIndexSize(4 * first, 4L * count, ids.byteSize());
    long id = (ids.address() + 4 * first) & ADDRESS;
    long base = rows.address() & ADDRESS;
    long stride = rowBytes & STRIDE;
    int limit = (int) Math.min(Integer.MAX_VALUE, rows.byteSize() / rowBytes);
    int all = 0;
    for (int i = 0; i < count; i++) {
      int row = Objects.checkIndex(ALL.get(JAVA_INT_UNALIGNED, id + 4L * i), limit);
      long at = base + row * stride;
      for (long line = 0; line < stride; line += LINE) {
        all |= ALL.get(JAVA_INT_UNALIGNED, at + line);
      }
    }
    seen = all;
  }
}
