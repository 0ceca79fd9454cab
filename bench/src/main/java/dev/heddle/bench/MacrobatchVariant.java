package dev.heddle.bench;

import java.util.List;

/** A way of getting what batches need from other workers, as flags of {@code heddle train}. */
record MacrobatchVariant(String name, List<String> flags) {
  private static final String AHEAD = "--ahead";

  /**
   * All of them, with caches of so many bytes; the first asks for every batch by itself and keeps
   * nothing; a plus adds to the cache.
   */
  static List<MacrobatchVariant> all(String cacheBytes) {
    String cache = "--cache-bytes " + cacheBytes;
    String everywhere = "--topology replicated";
    String aggregated = "--cache aggregated";
    return List.of(
        of("one by one", "--macrobatch 1"),
        of("one by one ahead", "--macrobatch 1", AHEAD),
        of("4 at once", "--macrobatch 4"),
        of("16 at once", "--macrobatch 16"),
        of("16 ahead", "--macrobatch 16", AHEAD),
        of("16 ahead + cache", "--macrobatch 16", AHEAD, cache),
        of("+ all arcs everywhere", "--macrobatch 16", AHEAD, cache, everywhere),
        of("+ aggregated inputs", "--macrobatch 16", AHEAD, cache, aggregated),
        of("+ both", "--macrobatch 16", AHEAD, cache, aggregated, everywhere));
  }

  private static MacrobatchVariant of(String name, String... flags) {
    return new MacrobatchVariant(name, List.of(String.join(" ", flags).split(" ", -1)));
  }

  /** Attention weighs neighbours anew in every step: there is nothing to aggregate beforehand. */
  boolean fits(String model) {
    return !(model.startsWith("gat") && flags.contains("aggregated"));
  }
}
