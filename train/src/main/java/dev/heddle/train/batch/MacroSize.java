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
 * @param predictedBytes of this worker
 * @param warnings what was wished for and cannot be, the same at all workers
 */
record MacroSize(int batches, long predictedBytes, List<String> warnings) {
  private static final int PROBES = 3;

  /**
   * Asks all workers, each of which has as much memory for this as the settings say.
   *
   * @param slots macrobatches that there are at a time
   */
  static MacroSize of(Group group, MacroLoader loader, SeedOrder seeds, Fetch settings, int slots) {
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
      long each = slots * probe.bytes() + loader.bytes() - loader.tableBytes();
      own = new BytesNeeded(loader.tableBytes(), (long) (larger * each));
      loader.forgetCounts();
    }
    int wished = settings.macrobatch();
    if (wished == 0 && !loader.fetches()) {
      // Whoever has all features at hand gains nothing by several batches at once.
      return new MacroSize(1, own.bytes(1), List.of());
    }
    List<BytesNeeded> needs = own.ofAll(group);
    long memory = settings.memoryLimit();
    int most = Math.min(wished > 0 ? wished : NeighbourSampler.MOST_BATCHES, all);
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
    return new MacroSize(even, own.bytes(even), List.copyOf(warnings));
  }

  /** Seeds of the batch that has most of them. */
  private static int most(SeedOrder seeds) {
    return IntStream.range(0, seeds.batches()).map(seeds::count).max().orElse(0);
  }

  private static long largest(List<BytesNeeded> needs, int batches) {
    return needs.stream().mapToLong(need -> need.bytes(batches)).max().orElse(0);
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
   * @param each for every batch
   */
  private record BytesNeeded(long once, long each) {
    long bytes(int batches) {
      return once + batches * each;
    }

    /** How many batches such memory allows, of those that are wanted. */
    int fit(long memory, int most) {
      return Math.clamp((memory - once) / each, 1, most);
    }

    /** Those of all workers, at each of them. */
    List<BytesNeeded> ofAll(Group group) {
      long[] bytes = new long[2 * group.size()];
      bytes[2 * group.rank()] = once;
      bytes[2 * group.rank() + 1] = each;
      group.sum(bytes);
      List<BytesNeeded> all = new ArrayList<>();
      for (int i = 0; i < bytes.length; i += 2) {
        all.add(new BytesNeeded(bytes[i], bytes[i + 1]));
      }
      return all;
    }
  }
}
