package dev.heddle.graph;

import dev.heddle.kernel.Draws;

/** The numbers below n in random order. */
final class RandomOrder {
  private RandomOrder() {}

  /** A permutation that depends on the key alone (Fisher–Yates). */
  static int[] of(int n, long key) {
    int[] order = new int[n];
    for (int i = 0; i < n; i++) {
      int j = Draws.below(Draws.at(key, i), i + 1);
      order[i] = order[j];
      order[j] = i;
    }
    return order;
  }
}
