package dev.heddle.graph.partition;

import dev.heddle.kernel.Draws;

/** Numbers in an order drawn by a key (Fisher–Yates). */
final class Shuffle {
  private Shuffle() {}

  static int[] of(int size, long key) {
    int[] order = new int[size];
    for (int i = 0; i < size; i++) {
      int at = Draws.below(Draws.at(key, i), i + 1);
      order[i] = order[at];
      order[at] = i;
    }
    return order;
  }
}
