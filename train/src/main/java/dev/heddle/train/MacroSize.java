package dev.heddle.train;

import dev.heddle.comm.Group;
import dev.heddle.graph.sample.MacroSampler;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.train.batch.MacroLoader;
import dev.heddle.train.batch.Macrobatch;

/**
 * How many batches are loaded at once, and what memory that takes at most. A few batches are loaded
 * one by one; several together take at most as much as so many alone.
 *
 * @param batches the same at all workers
 * @param predictedBytes of this worker
 */
record MacroSize(int batches, long predictedBytes) {
  private static final int PROBES = 3;

  /** Asks all workers, each of which has as much memory for this as the settings say. */
  static MacroSize of(Group group, MacroLoader loader, SeedOrder seeds, Wish wish) {
    int all = seeds.epoch(1).batches();
    long each;
    try (Macrobatch probe = loader.newMacrobatch(1)) {
      for (int i = 0; i < Math.min(PROBES, all); i++) {
        loader.load(seeds, i, 1, probe);
      }
      // Tables are powers of two.
      each = wish.slots * probe.bytes() + 2 * loader.bytes();
      loader.forgetCounts();
    }
    int most = Math.min(MacroSampler.MOST_BATCHES, all);
    int own = Math.clamp(wish.settings.memory() / each, 1, most);
    int agreed =
        wish.settings.macrobatch() > 0
            ? Math.min(most, wish.settings.macrobatch())
            : least(group, own);
    int even = even(all, agreed);
    return new MacroSize(even, even * each);
  }

  /**
   * As few rounds as so many at once allow, all of about the same size: a short last one would be
   * loaded in no time while a full one is trained on, and the next full one waited for.
   */
  static int even(int all, int most) {
    return Math.ceilDiv(all, Math.ceilDiv(all, most));
  }

  /** What is wanted, for so many macrobatches at a time. */
  record Wish(FetchSettings settings, int slots) {}

  private static int least(Group group, int own) {
    long[] counts = new long[MacroSampler.MOST_BATCHES + 1];
    counts[own] = 1;
    group.sum(counts);
    int least = 1;
    while (counts[least] == 0) {
      least++;
    }
    return least;
  }
}
