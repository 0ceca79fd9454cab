package dev.heddle.graph.sample;

import dev.heddle.kernel.Draws;

/**
 * The vertices to learn from, in an order of their own for every epoch, cut into batches of which
 * the last may be smaller. The order depends on seed and epoch alone.
 */
public final class SeedOrder {
  private final int[] vertices;
  private final int[] order;
  private final int batchSize;
  private final long seed;
  private long epoch = -1;

  private SeedOrder(int[] vertices, int batchSize, long seed) {
    if (batchSize < 1) {
      throw new IllegalArgumentException("a batch has at least 1 vertex, not " + batchSize);
    }
    this.vertices = vertices.clone();
    this.batchSize = batchSize;
    this.seed = seed;
    order = vertices.clone();
  }

  public static SeedOrder of(int[] vertices, int batchSize, long seed) {
    return new SeedOrder(vertices, batchSize, seed);
  }

  /** Shuffles (Fisher & Yates, by keyed draws) for an epoch, counted from 1. */
  public SeedOrder epoch(long number) {
    epoch = number;
    System.arraycopy(vertices, 0, order, 0, order.length);
    long key = Draws.key(Draws.Domain.SHUFFLE, seed, number, 0, 0);
    for (int i = order.length - 1; i > 0; i--) {
      int j = Draws.below(Draws.at(key, i), i + 1);
      int swapped = order[i];
      order[i] = order[j];
      order[j] = swapped;
    }
    return this;
  }

  /** The epoch that the order is of. */
  public long epoch() {
    return epoch;
  }

  public int batches() {
    return (order.length + batchSize - 1) / batchSize;
  }

  /** Vertices of every batch but perhaps the last. */
  public int batchSize() {
    return Math.min(batchSize, order.length);
  }

  /** All vertices of an epoch. */
  public int size() {
    return order.length;
  }

  /** How many vertices a batch has. */
  public int count(int batch) {
    return Math.min(batchSize, order.length - batch * batchSize);
  }

  /** A vertex of a batch. */
  public int vertex(int batch, int index) {
    return order[batch * batchSize + index];
  }

  long seed() {
    return seed;
  }
}
