package dev.heddle.train.batch;

import dev.heddle.comm.Group;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.train.settings.Fetch;
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
 * @param slots macrobatches that there are at a time, at most; the same at all workers
 * @param predictedBytes of this worker
 * @param warnings what was wished for and cannot be, the same at all workers
 */
record MacroSize(int batches, int slots, long predictedBytes, List<String> warnings) {
  private static final int PROBES = 3;

  /**
   * Asks all workers, each of which has as much memory for this as the settings say.
   *
   * @param least macrobatches that there must be at a time
   * @param mostSlots that there are if memory allows
   */
  static MacroSize of(
      Group group, MacroLoader loader, SeedOrder seeds, Fetch settings, int least, int mostSlots) {
    int all = seeds.epoch(1).batches();
    BytesNeeded own;
    try (Macrobatch probe = loader.newMacrobatch(1)) {
      int probed = 1;
      for (int i = 0; i < Math.min(PROBES, all); i++) {
        loader.load(seeds, i, 1, probe);
        probed = Math.max(probed, seeds.count(i));
      }
      // Other batches of an epoch may have more of this worker's seeds than those.
      double larger = Math.max(1.0, (double) most(seeds) / probed);
      long loading = (long) (larger * (loader.bytes() - loader.tableBytes()));
      own = new BytesNeeded(loader.tableBytes(), loading, (long) (larger * probe.bytes()));
      loader.forgetCounts();
    }
    int wished = settings.macrobatch();
    List<BytesNeeded> needs = own.ofAll(group);
    long memory = settings.memoryLimit();
    if (wished == 0 && !loader.fetches()) {
      // Whoever has all features at hand gains nothing by several batches at once.
      int slots = slots(needs, memory, 1, least, mostSlots);
      return new MacroSize(1, slots, own.bytes(1, slots), List.of());
    }
    int most = Math.min(wished > 0 ? wished : NeighbourSampler.MOST_BATCHES, all);
    int fit = needs.stream().mapToInt(need -> need.fit(memory, least, most)).min().orElse(most);
    List<String> warnings = new ArrayList<>();
    if (largest(needs, 1, least) > memory) {
      warnings.add(
          String.format(
              Locale.ROOT,
              "batches are loaded one by one, and even that takes %.1f MB where %.1f MB are for it",
              largest(needs, 1, least) / 1e6,
              memory / 1e6));
    } else if (wished > 0 && fit < most) {
      warnings.add(
          String.format(
              Locale.ROOT,
              "%d batches at once take %.1f MB where %.1f MB are for it: at most %d are loaded",
              most,
              largest(needs, most, least) / 1e6,
              memory / 1e6,
              fit));
    }
    int even = even(all, fit);
    if (wished > 0 && fit == wished && even < fit) {
      warnings.add(
          String.format(
              Locale.ROOT,
              "%d batches at once, not %d: the %d batches of an epoch are loaded in %d rounds of"
                  + " about the same size",
              even,
              wished,
              all,
              Math.ceilDiv(all, even)));
    } else if (wished > all) {
      warnings.add(
          String.format(
              Locale.ROOT, "%d batches at once, not %d: an epoch has no more", all, wished));
    }
    int slots = slots(needs, memory, even, least, mostSlots);
    return new MacroSize(even, slots, own.bytes(even, slots), List.copyOf(warnings));
  }

  /** Macrobatches of so many batches that all workers have memory for. */
  private static int slots(List<BytesNeeded> needs, long memory, int batches, int least, int most) {
    return needs.stream()
        .mapToInt(need -> need.slots(memory, batches, least, most))
        .min()
        .orElse(least);
  }

  /** Seeds of the batch that has most of them. */
  private static int most(SeedOrder seeds) {
    return IntStream.range(0, seeds.batches()).map(seeds::count).max().orElse(0);
  }

  private static long largest(List<BytesNeeded> needs, int batches, int slots) {
    return needs.stream().mapToLong(need -> need.bytes(batches, slots)).max().orElse(0);
  }

  /**
   * As few rounds as so many at once allow, all of about the same size: a short last one would be
   * loaded in no time while a full one is trained on, and the next full one waited for.
   */
  static int even(int all, int most) {
    return Math.ceilDiv(all, Math.ceilDiv(all, most));
  }

  /**
   * Bytes that a worker needs.
   *
   * @param once however many batches are loaded
   * @param loading for every batch that is loaded at once
   * @param each for every batch of every macrobatch
   */
  private record BytesNeeded(long once, long loading, long each) {
    private static final int LENGTH = 3;

    long bytes(int batches, int slots) {
      return once + batches * (loading + slots * each);
    }

    /** How many batches such memory allows, of those that are wanted. */
    int fit(long memory, int slots, int most) {
      return Math.clamp((memory - once) / (loading + slots * each), 1, most);
    }

    /** How many macrobatches of so many batches such memory allows. */
    int slots(long memory, int batches, int least, int most) {
      long room = (memory - once) / batches - loading;
      return Math.clamp(room / Math.max(1, each), least, most);
    }

    /** Those of all workers, at each of them. */
    List<BytesNeeded> ofAll(Group group) {
      long[] bytes = new long[LENGTH * group.size()];
      bytes[LENGTH * group.rank()] = once;
      bytes[LENGTH * group.rank() + 1] = loading;
      bytes[LENGTH * group.rank() + 2] = each;
      group.sum(bytes);
      List<BytesNeeded> all = new ArrayList<>();
      for (int i = 0; i < bytes.length; i += LENGTH) {
        all.add(new BytesNeeded(bytes[i], bytes[i + 1], bytes[i + 2]));
      }
      return all;
    }
  }
}
