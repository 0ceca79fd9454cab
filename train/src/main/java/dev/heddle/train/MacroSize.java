package dev.heddle.train;

import dev.heddle.comm.Group;
import dev.heddle.graph.sample.MacroSampler;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.train.batch.MacroLoader;
import dev.heddle.train.batch.Macrobatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * How many batches are loaded at once, and what memory that takes at most. A few batches are loaded
 * one by one; several together take at most as much as so many alone, and tables of all vertices
 * once.
 *
 * @param batches the same at all workers
 * @param predictedBytes of this worker
 * @param warnings what was wished for and cannot be, the same at all workers
 */
record MacroSize(int batches, long predictedBytes, List<String> warnings) {
  private static final int PROBES = 3;

  /** Asks all workers, each of which has as much memory for this as the settings say. */
  static MacroSize of(Group group, MacroLoader loader, SeedOrder seeds, Wish wish) {
    int all = seeds.epoch(1).batches();
    Need own;
    try (Macrobatch probe = loader.newMacrobatch(1)) {
      int probed = 1;
      for (int i = 0; i < Math.min(PROBES, all); i++) {
        loader.load(seeds, i, 1, probe);
        probed = Math.max(probed, seeds.count(i));
      }
      // Other batches of an epoch may have more of this worker's seeds than those.
      double larger = Math.max(1.0, (double) most(seeds) / probed);
      long each = wish.slots * probe.bytes() + loader.bytes() - loader.tableBytes();
      own = new Need(loader.tableBytes(), (long) (larger * each));
      loader.forgetCounts();
    }
    List<Need> needs = own.ofAll(group);
    long memory = wish.settings.memory();
    int wished = wish.settings.macrobatch();
    int most = Math.min(wished > 0 ? wished : MacroSampler.MOST_BATCHES, all);
    int fit = needs.stream().mapToInt(need -> need.fit(memory, most)).min().orElse(most);
    List<String> warnings = new ArrayList<>();
    if (largest(needs, 1) > memory) {
      warnings.add(
          String.format(
              Locale.ROOT,
              "batches are loaded one by one, and even that takes %.1f MB where %.1f MB are for it",
              largest(needs, 1) / 1e6,
              memory / 1e6));
    } else if (wished > 0 && fit < most) {
      warnings.add(
          String.format(
              Locale.ROOT,
              "%d batches at once take %.1f MB where %.1f MB are for it: at most %d are loaded",
              most,
              largest(needs, most) / 1e6,
              memory / 1e6,
              fit));
    }
    int even = even(all, fit);
    return new MacroSize(even, own.bytes(even), List.copyOf(warnings));
  }

  /** Seeds of the batch that has most of them. */
  private static int most(SeedOrder seeds) {
    return IntStream.range(0, seeds.batches()).map(seeds::count).max().orElse(0);
  }

  private static long largest(List<Need> needs, int batches) {
    return needs.stream().mapToLong(need -> need.bytes(batches)).max().orElse(0);
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

  /**
   * Bytes that a worker needs.
   *
   * @param once however many batches are loaded
   * @param each for every batch
   */
  private record Need(long once, long each) {
    long bytes(int batches) {
      return once + batches * each;
    }

    /** How many batches such memory allows, of those that are wanted. */
    int fit(long memory, int most) {
      return Math.clamp((memory - once) / each, 1, most);
    }

    /** Those of all workers, at each of them. */
    List<Need> ofAll(Group group) {
      long[] bytes = new long[2 * group.size()];
      bytes[2 * group.rank()] = once;
      bytes[2 * group.rank() + 1] = each;
      group.sum(bytes);
      List<Need> all = new ArrayList<>();
      for (int i = 0; i < bytes.length; i += 2) {
        all.add(new Need(bytes[i], bytes[i + 1]));
      }
      return all;
    }
  }
}
