package dev.heddle.bench;

import java.util.ArrayList;
import java.util.List;

/** A way for workers to share batches, as flags of {@code heddle train}. */
record GsplitVariant(String name, List<String> flags) {
  /**
   * Data parallelism at its best, every fixed depth, and the one that is chosen, each without and
   * with what it can keep.
   *
   * @param layers of the model
   * @param cacheBytes of a cache of others' rows
   */
  static List<GsplitVariant> all(int layers, String cacheBytes) {
    List<GsplitVariant> all = new ArrayList<>();
    for (String macrobatch : List.of("1", "8")) {
      all.add(seeds("seeds x" + macrobatch, macrobatch));
      all.add(seeds("seeds x" + macrobatch + " + cache", macrobatch, "--cache-bytes", cacheBytes));
    }
    all.add(seeds("seeds x8 + aggregated", "8", "--cache", "aggregated"));
    for (int depth = 0; depth < layers; depth++) {
      all.add(batch("batch depth " + depth, "--depth", "" + depth));
    }
    all.add(batch("batch depth 0 + aggregated", "--depth", "0", "--cache", "aggregated"));
    all.add(batch("batch depth auto", "--depth", "auto"));
    return all;
  }

  private static GsplitVariant seeds(String name, String macrobatch, String... more) {
    List<String> flags = new ArrayList<>(List.of("--split", "seeds", "--macrobatch", macrobatch));
    flags.addAll(List.of(more));
    return new GsplitVariant(name, List.copyOf(flags));
  }

  private static GsplitVariant batch(String name, String... more) {
    List<String> flags = new ArrayList<>(List.of("--split", "batch", "--macrobatch", "8"));
    flags.addAll(List.of(more));
    return new GsplitVariant(name, List.copyOf(flags));
  }

  /** Attention weighs neighbours anew in every step: there is nothing to aggregate beforehand. */
  boolean fits(String model) {
    return !(model.startsWith("gat") && flags.contains("aggregated"));
  }
}
