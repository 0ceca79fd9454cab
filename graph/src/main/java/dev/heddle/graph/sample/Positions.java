package dev.heddle.graph.sample;

import java.util.Arrays;

/** A set of places in a long row: a bit each, and a list to clear them by. Every thread has one. */
final class Positions {
  private static final ThreadLocal<Positions> OF_THREAD = ThreadLocal.withInitial(Positions::new);

  private long[] bits = new long[16];
  private int[] list = new int[64];
  private int size;

  private Positions() {}

  /** The calling thread's, empty, with room for places below {@code end}. */
  static Positions ofThread(int end, int most) {
    Positions positions = OF_THREAD.get();
    int words = end / Long.SIZE + 1;
    if (words > positions.bits.length) {
      positions.bits = new long[words + words / 2];
    }
    if (most > positions.list.length) {
      positions.list = Arrays.copyOf(positions.list, most + most / 2);
    }
    return positions;
  }

  /** Adds a place unless it is there. */
  boolean add(int position) {
    long bit = 1L << position;
    if ((bits[position / Long.SIZE] & bit) != 0) {
      return false;
    }
    bits[position / Long.SIZE] |= bit;
    list[size++] = position;
    return true;
  }

  void clear() {
    while (size > 0) {
      bits[list[--size] / Long.SIZE] = 0;
    }
  }
}
