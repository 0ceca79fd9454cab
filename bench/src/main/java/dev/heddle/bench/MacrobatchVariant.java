package dev.heddle.bench;

import java.util.List;

/** A way of getting what batches need from other workers, as flags of {@code heddle train}. */
record MacrobatchVariant(String name, List<String> flags) {
  private static final String CACHE = "--cache-bytes 32m";
  private static final String AHEAD = "--ahead";

  /**
   * All of them; the first asks for every batch by itself and keeps nothing; a plus adds to the
   * cache.
   */
  static final List<MacrobatchVariant> ALL =
      List.of(
          of("one by one", "--macrobatch 1"),
          of("4 at once", "--macrobatch 4"),
          of("16 at once", "--macrobatch 16"),
          of("16 ahead", "--macrobatch 16", AHEAD),
          of("16 ahead + cache", "--macrobatch 16", AHEAD, CACHE),
          of("+ all arcs everywhere", "--macrobatch 16", AHEAD, CACHE, "--topology replicated"),
          of("+ aggregated inputs", "--macrobatch 16", AHEAD, CACHE, "--cache aggregated"),
          of(
              "+ both",
              "--macrobatch 16",
              AHEAD,
              CACHE,
              "--cache aggregated",
              "--topology replicated"));

  private static MacrobatchVariant of(String name, String... flags) {
    return new MacrobatchVariant(name, List.of(String.join(" ", flags).split(" ", -1)));
  }

  /** Attention weighs neighbours anew in every step: there is nothing to aggregate beforehand. */
  boolean fits(String model) {
    return !(model.startsWith("gat") && flags.contains("aggregated"));
  }
}
