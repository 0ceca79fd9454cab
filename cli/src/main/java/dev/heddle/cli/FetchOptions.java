package dev.heddle.cli;

import dev.heddle.train.settings.Fetch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of the knob {@code fetch}: how batches come to a worker. */
final class FetchOptions {
  /** What can be kept. */
  private static final List<String> CACHES = List.of("none", "hot", "gns", "aggregated");

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
      description = {
        "What is kept: none, or of hot, gns, aggregated, with commas between (default: none).",
        "hot keeps --cache-bytes of features that batches need most often, of others' vertices or, with one worker, of mapped features. gns keeps such"
            + " features of vertices drawn for each epoch: the input layer is sampled from these, other layers rather from these (global neighbour sampling)."
            + " aggregated computes the first layer's aggregation once, over all neighbours, and never samples the last hop; several workers have it"
            + " in memory, and their features, --features mapped or not."
      })
  private @Nullable String cache;

  @Option(
      names = "--cache-bytes",
      description =
          "Memory of each worker for the features that --cache hot or gns keeps: 64m, 1g; alone it"
              + " means hot (default: none; with gns what a hundredth of all vertices take).")
  private @Nullable String cacheBytes;

  @Option(
      names = "--cache-rank",
      description =
          "How it is found out which these are: ${COMPLETION-CANDIDATES}: by sampling an epoch"
              + " beforehand, by the probability that a batch reaches a vertex, or by the arcs that"
              + " come from it (default: presampled; with gns degree).")
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
    List<String> caches = caches(base);
    return new Fetch(
        macrobatch == null ? base.macrobatch() : macrobatch,
        memory == null ? base.memory() : RunOptions.bytes("--batch-memory", memory),
        ahead == null ? base.ahead() : ahead,
        rows(caches, base.cache()),
        topology == null ? base.topology() : topology,
        caches.contains("aggregated"),
        mapped);
  }

  /** The names of what is kept. */
  private List<String> caches(Fetch base) {
    if (cache == null) {
      List<String> names = new ArrayList<>();
      if (base.cache().rows() != Fetch.Rows.NONE) {
        names.add(base.cache().rows().toString());
      }
      if (base.aggregatedInputs()) {
        names.add("aggregated");
      }
      return names;
    }
    List<String> names = Arrays.stream(cache.split(",", -1)).map(String::strip).toList();
    for (String name : names) {
      if (!CACHES.contains(name)) {
        throw new InputException(
            "--cache has no '" + name + "': there are " + String.join(", ", CACHES));
      }
    }
    if (names.size() > 1 && names.contains("none")) {
      throw new InputException("--cache none keeps nothing: leave the others out, or none");
    }
    if (names.contains("hot") && names.contains("gns")) {
      throw new InputException(
          "--cache hot and gns both say which rows of features are kept: use either");
    }
    return names;
  }

  private Fetch.Cache rows(List<String> caches, Fetch.Cache base) {
    long bytes = cacheBytes == null ? base.bytes() : RunOptions.bytes("--cache-bytes", cacheBytes);
    if (caches.contains("gns")) {
      boolean ranked = base.rows() == Fetch.Rows.GNS;
      Fetch.Rank usual = ranked ? base.by() : Fetch.Rank.DEGREE;
      return Fetch.Cache.gns(bytes, cacheRank == null ? usual : cacheRank);
    }
    if (cacheBytes == null && !caches.contains("hot")) {
      return Fetch.Cache.NONE;
    }
    boolean ranked = base.rows() == Fetch.Rows.HOT;
    Fetch.Rank usual = ranked ? base.by() : Fetch.Rank.PRESAMPLED;
    return new Fetch.Cache(bytes, cacheRank == null ? usual : cacheRank);
  }

  /** Keeps what was settled on, so that the run's file says it. */
  void settle(Fetch settled) {
    ahead = settled.ahead();
    if (settled.macrobatch() > 0) {
      macrobatch = settled.macrobatch();
    }
  }
}
