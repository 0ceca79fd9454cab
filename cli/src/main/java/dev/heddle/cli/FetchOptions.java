package dev.heddle.cli;

import dev.heddle.train.settings.Fetch;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of the knob {@code fetch}: how batches come to a worker. */
final class FetchOptions {
  /** What of repeated work is kept. */
  private enum Cache {
    NONE,
    AGGREGATED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Option(
      names = "--macrobatch",
      description = {
        "Batches sampled and fetched at once (default: what fits).",
        "With one worker 1, else as many as --batch-memory allows, at most 32: by several workers in one round of messages for each hop, by one so that rows"
            + " of mapped features are read once for all. What is trained is the same for any"
            + " number."
      })
  private @Nullable Integer macrobatch;

  @Option(
      names = "--batch-memory",
      description =
          "Memory of each worker for batches that are sampled and fetched, at most a quarter of its"
              + " share of --memory: 512m, 2g (default: 512m, or what --macrobatch takes).")
  private @Nullable String memory;

  @Option(
      names = "--ahead",
      negatable = true,
      fallbackValue = "true",
      description = "Fetch the next batches while these are trained on.")
  private @Nullable Boolean ahead;

  @Option(
      names = "--cache",
      description =
          "${COMPLETION-CANDIDATES}: aggregated computes the first layer's aggregation once, over"
              + " all neighbours, and never samples the last hop; several workers have it in memory,"
              + " and their features, --features mapped or not (default: none).")
  private @Nullable Cache cache;

  @Option(
      names = "--cache-bytes",
      description =
          "Memory of each worker for features of others' vertices that its batches need most"
              + " often; with one worker, of features that are mapped: 64m, 1g (default: none).")
  private @Nullable String cacheBytes;

  @Option(
      names = "--cache-rank",
      description =
          "How it is found out which these are: ${COMPLETION-CANDIDATES}: by sampling an epoch"
              + " beforehand, or by the probability that a batch reaches a vertex (default:"
              + " presampled).")
  private Fetch.@Nullable Rank cacheRank;

  @Option(
      names = "--topology",
      description =
          "Who has which edges: ${COMPLETION-CANDIDATES}: everyone those of its vertices, or all,"
              + " so that only features are fetched; auto for all if they fit (default:"
              + " partitioned).")
  private Fetch.@Nullable Topology topology;

  /**
   * What these options say, else what stands in {@code base}.
   *
   * @param mapped whether the graph is to be used where it lies
   */
  Fetch over(Fetch base, boolean mapped) {
    if (macrobatch != null && macrobatch < 1) {
      throw new InputException("--macrobatch must be at least 1, not " + macrobatch);
    }
    Fetch.Cache kept =
        cacheBytes == null
            ? base.cache()
            : new Fetch.Cache(
                RunOptions.bytes("--cache-bytes", cacheBytes),
                cacheRank == null ? base.cache().by() : cacheRank);
    return new Fetch(
        macrobatch == null ? base.macrobatch() : macrobatch,
        memory == null ? base.memory() : RunOptions.bytes("--batch-memory", memory),
        ahead == null ? base.ahead() : ahead,
        kept,
        topology == null ? base.topology() : topology,
        cache == null ? base.aggregatedInputs() : cache == Cache.AGGREGATED,
        mapped);
  }

  /** Keeps what was settled on, so that the run's file says it. */
  void settle(Fetch settled) {
    ahead = settled.ahead();
    if (settled.macrobatch() > 0) {
      macrobatch = settled.macrobatch();
    }
  }
}
