package dev.heddle.graph.sample;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * What one worker asks of another in a hop: vertices, each with the batches for which arcs into it
 * are to be drawn.
 *
 * <p>Written as bytes, every vertex stands there once: a number that says what it is more than the
 * one before and, in its lowest bits, 0 and the only batch that needs it, or 1 where there are
 * several, whose set follows as bits. Where there is but one batch, the number is all.
 */
final class ArcRequest {
  private static final int BATCH_BITS = 5;
  private static final int ROW_BITS = 27;

  /** The most batches that there can be. */
  static final int MOST_BATCHES = 1 << BATCH_BITS;

  private final ByteCursor cursor = new ByteCursor();

  /** Vertex, batch and row, in the order of their weight. */
  private long[] pairs = new long[64];

  private int count;

  void clear() {
    count = 0;
  }

  /** Asks for arcs into a vertex, which has some row in the batch. */
  void add(int vertex, int batch, int row) {
    if (row >>> ROW_BITS != 0) {
      throw new IllegalStateException("a batch with more than 2^27 rows cannot be sampled");
    }
    if (count == pairs.length) {
      pairs = Arrays.copyOf(pairs, 2 * count);
    }
    pairs[count++] = (long) vertex << (BATCH_BITS + ROW_BITS) | (long) batch << ROW_BITS | row;
  }

  /** Brings what was asked into the order in which it is written. */
  void sort() {
    Arrays.sort(pairs, 0, count);
  }

  /** Pairs of a vertex and a batch. */
  int pairs() {
    return count;
  }

  int vertex(int pair) {
    return (int) (pairs[pair] >>> (BATCH_BITS + ROW_BITS));
  }

  /** The vertex of every pair, in their order. */
  void forVertices(IntConsumer action) {
    for (int pair = 0; pair < count; pair++) {
      action.accept(vertex(pair));
    }
  }

  int batch(int pair) {
    return (int) (pairs[pair] >>> ROW_BITS) & (MOST_BATCHES - 1);
  }

  int row(int pair) {
    return (int) pairs[pair] & ((1 << ROW_BITS) - 1);
  }

  /** Bytes that {@link #write} takes, at most. */
  long mostBytes(int batches) {
    return (ByteCursor.MOST + setBytes(batches)) * (long) count;
  }

  private static int setBytes(int batches) {
    return (batches + 7) / 8;
  }

  /** Bits of the number of a batch. */
  private static int batchBits(int batches) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(batches - 1);
  }

  /** Writes what was sorted; returns where it ends. */
  long write(int batches, MemorySegment into, long from) {
    cursor.on(into, from);
    int last = 0;
    for (int pair = 0; pair < count; ) {
      int vertex = vertex(pair);
      int set = 0;
      for (; pair < count && vertex(pair) == vertex; pair++) {
        set |= 1 << batch(pair);
      }
      write(vertex - last, set, batches);
      last = vertex;
    }
    return cursor.position();
  }

  private void write(long more, int set, int batches) {
    if (batches == 1) {
      cursor.put(more);
    } else if (Integer.bitCount(set) == 1) {
      int batch = Integer.numberOfTrailingZeros(set);
      cursor.put((more << batchBits(batches) | batch) << 1);
    } else {
      cursor.put(more << 1 | 1);
      for (int i = 0; i < setBytes(batches); i++) {
        cursor.putByte(set >>> (8 * i));
      }
    }
  }

  /** Reads what another worker has written, in the place of what was there. */
  void read(int batches, MemorySegment bytes, long from, long end) {
    clear();
    cursor.on(bytes, from);
    int bits = batchBits(batches);
    int vertex = 0;
    while (cursor.position() < end) {
      long number = cursor.get();
      int set = 1;
      if (batches == 1) {
        vertex += (int) number;
      } else if ((number & 1) == 0) {
        vertex += (int) (number >>> (1 + bits));
        set = 1 << (int) (number >>> 1 & ((1L << bits) - 1));
      } else {
        vertex += (int) (number >>> 1);
        set = readSet(setBytes(batches));
      }
      for (; set != 0; set &= set - 1) {
        add(vertex, Integer.numberOfTrailingZeros(set), 0);
      }
    }
  }

  private int readSet(int bytes) {
    int set = 0;
    for (int i = 0; i < bytes; i++) {
      set |= cursor.getByte() << (8 * i);
    }
    return set;
  }
}
