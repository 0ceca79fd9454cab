package dev.heddle.graph.sample;

import dev.heddle.kernel.Draws;

/**
 * What all draws of a hop of a batch are keyed by. Where batches depend on each other the key can
 * be read: its lowest bits count batches from the first epoch on, the others are of seed and hop.
 */
final class HopKey {
  private static final long COUNT = (1L << 24) - 1;

  private HopKey() {}

  /**
   * A key.
   *
   * @param seeds of the epoch that the batch is of
   */
  static long of(SampleSettings settings, SeedOrder seeds, SampledBatch batch, int hop) {
    return of(settings, seeds, batch.epoch(), batch.number(), hop);
  }

  static long of(SampleSettings settings, SeedOrder seeds, long epoch, int number, int hop) {
    long seed = seeds.seed();
    if (settings.kappa() == 1) {
      return Draws.key(Draws.Domain.SAMPLE, seed, epoch, number, hop);
    }
    long count = (epoch - 1) * seeds.batches() + number;
    return (Draws.key(Draws.Domain.SAMPLE, seed, 0, 0, hop) & ~COUNT) | (count & COUNT);
  }

  /** Batches before that of a key which can be read. */
  static long count(long key) {
    return key & COUNT;
  }

  /** A key for so many batches that follow each other, the stretch of them being counted. */
  static long ofStretch(long key, long stretch) {
    return Draws.at(key & ~COUNT, stretch);
  }
}
