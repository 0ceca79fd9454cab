package dev.heddle.graph.sample;

import dev.heddle.kernel.Draws;
import java.util.Arrays;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The vertices to learn from, in an order of their own for every epoch, cut into batches of which
 * the last may be smaller. The order depends on seed and epoch alone.
 *
 * <p>Several workers have the same order and the same batches, and each sees those vertices of a
 * batch that are its own: as many batches for everyone, some of them perhaps empty.
 */
public final class SeedOrder {
  private final int[] vertices;
  private final int[] order;
  private final int[] starts;
  private final int batchSize;
  private final long seed;
  private final @Nullable IntPredicate seen;
  private final int most;
  private long epoch = -1;
  private @Nullable SeedOrder everyone;

  private SeedOrder(int[] vertices, int batchSize, long seed, @Nullable IntPredicate seen) {
    if (batchSize < 1) {
      throw new IllegalArgumentException("a batch has at least 1 vertex, not " + batchSize);
    }
    this.vertices = vertices.clone();
    this.batchSize = batchSize;
    this.seed = seed;
    this.seen = seen;
    order = vertices.clone();
    starts = new int[batches() + 1];
    most = Math.min(batchSize, (int) Arrays.stream(vertices).filter(this::sees).count());
    startBatches();
  }

  public static SeedOrder of(int[] vertices, int batchSize, long seed) {
    return new SeedOrder(vertices, batchSize, seed, null);
  }

  /** An order with the batches of this one, of which only some vertices are seen. */
  public SeedOrder seeing(IntPredicate own) {
    return new SeedOrder(vertices, batchSize, seed, own);
  }

  /** The order of all seeds, whoever sees them, in the epoch that this one is in. */
  SeedOrder everyone() {
    if (seen == null) {
      return this;
    }
    if (everyone == null) {
      everyone = new SeedOrder(vertices, batchSize, seed, null);
    }
    return everyone.epoch == epoch ? everyone : everyone.epoch(epoch);
  }

  private boolean sees(int vertex) {
    return seen == null || seen.test(vertex);
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
    startBatches();
    return this;
  }

  /** Moves what is seen of each batch together, in order, and notes where batches start. */
  private void startBatches() {
    int to = 0;
    for (int batch = 0; batch < batches(); batch++) {
      starts[batch] = to;
      int from = batch * batchSize;
      for (int end = from + total(batch); from < end; from++) {
        if (sees(order[from])) {
          order[to++] = order[from];
        }
      }
    }
    starts[batches()] = to;
  }

  /** The epoch that the order is of. */
  public long epoch() {
    return epoch;
  }

  public int batches() {
    return Math.ceilDiv(order.length, batchSize);
  }

  /** The most vertices that are seen of a batch. */
  public int batchSize() {
    return most;
  }

  /** All vertices of an epoch. */
  public int size() {
    return order.length;
  }

  /** How many vertices are seen of a batch. */
  public int count(int batch) {
    return starts[batch + 1] - starts[batch];
  }

  /** How many vertices a batch has, whoever sees them. */
  public int total(int batch) {
    return Math.min(batchSize, order.length - batch * batchSize);
  }

  /** A vertex that is seen of a batch. */
  public int vertex(int batch, int index) {
    return order[starts[batch] + index];
  }

  long seed() {
    return seed;
  }
}
