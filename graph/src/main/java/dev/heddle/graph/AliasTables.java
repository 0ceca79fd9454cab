package dev.heddle.graph;

import dev.heddle.kernel.Draws;

/**
 * Draws items with given probabilities in constant time (Walker 1977; built as Vose 1991 does),
 * from groups of consecutive items.
 *
 * <p>Each item of a group is drawn equally often, and then kept or exchanged for its alias.
 */
final class AliasTables {
  private final int[] begins;
  private final float[] keep;
  private final int[] alias;

  /**
   * Tables for weights that are not negative and, in each group, not all zero.
   *
   * @param begins where each group begins, and the number of items at last
   */
  AliasTables(double[] weights, int[] begins) {
    this.begins = begins;
    this.keep = new float[weights.length];
    this.alias = new int[weights.length];
    double[] share = new double[weights.length];
    int[] pending = new int[weights.length];
    for (int group = 0; group + 1 < begins.length; group++) {
      build(weights, share, pending, begins[group], begins[group + 1]);
    }
  }

  /** One group of all items. */
  static AliasTables of(double[] weights) {
    return new AliasTables(weights, new int[] {0, weights.length});
  }

  private void build(double[] weights, double[] share, int[] pending, int from, int to) {
    double sum = 0;
    for (int i = from; i < to; i++) {
      sum += weights[i];
    }
    // Items below the average wait at the front, those above at the back.
    int small = from;
    int large = to;
    for (int i = from; i < to; i++) {
      share[i] = weights[i] * (to - from) / sum;
      if (share[i] < 1) {
        pending[small++] = i;
      } else {
        pending[--large] = i;
      }
    }
    while (small > from && large < to) {
      int poor = pending[--small];
      int rich = pending[large];
      keep[poor] = (float) share[poor];
      alias[poor] = rich;
      share[rich] -= 1 - share[poor];
      if (share[rich] < 1) {
        large++;
        pending[small++] = rich;
      }
    }
    // What is left differs from 1 by rounding only.
    while (small > from) {
      keep[pending[--small]] = 1;
    }
    while (large < to) {
      keep[pending[large++]] = 1;
    }
  }

  /** An item of a group for 64 random bits. */
  int draw(int group, long bits) {
    int first = begins[group];
    int item = first + Draws.below(bits, begins[group + 1] - first);
    // The upper half chose the item.
    float toss = (bits & 0xFFFFFF) * 0x1p-24f;
    return toss < keep[item] ? item : alias[item];
  }
}
