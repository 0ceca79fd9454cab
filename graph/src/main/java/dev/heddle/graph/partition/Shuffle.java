package dev.heddle.graph.partition;

import dev.heddle.kernel.Draws;

/** Numbers in an order drawn by a key (Fisher–Yates). */
public final class Shuffle {
  private Shuffle() {}

  static int[] of(int size, long key) {
    int[] order = new int[size];
    write(order, key);
    return order;
  }

  /** Writes the numbers from 0 to the length of an array into it. */
  public static void write(int[] order, long key) {
    for (int i = 0; i < order.length; i++) {
      int at = Draws.below(Draws.at(key, i), i + 1);
      order[i] = order[at];
      order[at] = i;
    }
  }
}
