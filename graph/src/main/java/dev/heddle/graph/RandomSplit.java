package dev.heddle.graph;

import java.util.Arrays;

/** A split for graphs that have none: vertices are drawn without regard to anything. */
public final class RandomSplit {
  private RandomSplit() {}

  /**
   * Shares of the vertices for training and validation; the others are for testing.
   *
   * @param key of the draws, see {@link dev.heddle.kernel.Draws#key}
   */
  public static Split of(int vertices, double train, double valid, long key) {
    int[] order = RandomOrder.of(vertices, key);
    int trained = Math.max(1, (int) Math.round(train * vertices));
    int validated = Math.min(vertices, trained + (int) Math.round(valid * vertices));
    return new Split(
        ascending(order, 0, trained),
        ascending(order, trained, validated),
        ascending(order, validated, vertices));
  }

  private static int[] ascending(int[] order, int from, int to) {
    int[] part = Arrays.copyOfRange(order, from, to);
    Arrays.sort(part);
    return part;
  }
}
