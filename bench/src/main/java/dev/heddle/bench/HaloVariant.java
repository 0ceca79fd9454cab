package dev.heddle.bench;

import java.util.List;

/**
 * A way of having rows travel between workers, as flags of {@code heddle train}.
 *
 * @param scoresOf the variant that computes the same numbers, or itself: only its scores are
 *     measured
 */
record HaloVariant(String name, String scoresOf, List<String> flags) {
  /** What everything is compared with: rows as they are, waited for, all of them in every epoch. */
  static final String VANILLA = "vanilla";

  /** Rows as they are, those of the first layer only once, as they never change. */
  static final String CACHE = "vanilla + cache";

  private static final String ADAPTIVE = "--codec adaptive --overlap on";

  /** All of them, the baselines first; those after vanilla keep the first layer's rows. */
  static final List<HaloVariant> ALL =
      List.of(
          of(VANILLA, CACHE, "--no-precompute"),
          of(CACHE, CACHE, "--precompute"),
          of("quantise only", "adaptive", "--codec adaptive"),
          of("overlap only", CACHE, "--overlap on"),
          of("adaptive", "adaptive", ADAPTIVE),
          of("+ pre-aggregation", "+ pre-aggregation", ADAPTIVE, "--pre-aggregate on"),
          of("+ delta", "+ delta", ADAPTIVE, "--codec-delta on"),
          of("+ half sums", "+ half sums", ADAPTIVE, "--half-sums on"),
          of(
              "+ all three",
              "+ all three",
              ADAPTIVE,
              "--pre-aggregate on --codec-delta on --half-sums on"));

  /** Those of a list with commas; all if it is empty. */
  static List<HaloVariant> named(String names) {
    List<String> wanted = List.of(names.split(",", -1));
    return ALL.stream().filter(v -> names.isEmpty() || wanted.contains(v.name())).toList();
  }

  private static HaloVariant of(String name, String scoresOf, String... flags) {
    return new HaloVariant(name, scoresOf, List.of(String.join(" ", flags).split(" ", -1)));
  }
}
