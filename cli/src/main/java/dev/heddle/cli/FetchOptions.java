package dev.heddle.cli;

import dev.heddle.train.settings.FetchSettings;
import dev.heddle.train.settings.TrainSettings;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how workers share batches, and how they get what others have. */
final class FetchOptions {
  /** What is divided among workers. */
  private enum Split {
    GRAPH,
    SEEDS;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final String NAMES = "--macrobatch, --batch-memory, --cache-bytes and --topology";

  @Option(
      names = "--split",
      description =
          "What workers divide: ${COMPLETION-CANDIDATES}: graph, its vertices through all layers;"
              + " seeds, the training vertices of each batch (default: seeds with --batch, else"
              + " graph).")
  private @Nullable Split split;

  @Option(
      names = "--macrobatch",
      description =
          "Batches that are sampled and fetched at once, at most: by several workers in one round of"
              + " messages for each hop, by one so that rows of mapped features are read once for all;"
              + " what is trained is the same for any number (default: with one worker 1, else as"
              + " many as --batch-memory allows, at most 32).")
  private @Nullable Integer macrobatch;

  @Option(
      names = "--batch-memory",
      description =
          "Memory of each worker for batches that are sampled and fetched, at most a quarter of its"
              + " share of --memory: 512m, 2g (default: 512m, or what --macrobatch takes).")
  private @Nullable String memory;

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
  private FetchSettings.@Nullable Rank cacheRank;

  @Option(
      names = "--topology",
      description =
          "Who has which edges: ${COMPLETION-CANDIDATES}: everyone those of its vertices, or all,"
              + " so that only features are fetched; auto for all if they fit (default:"
              + " partitioned).")
  private FetchSettings.@Nullable Topology topology;

  /**
   * Settings with what these options say.
   *
   * @param mapped whether the graph is to be used where it lies
   */
  TrainSettings apply(TrainSettings settings, boolean mapped) {
    boolean batches = settings.batches() != null;
    if (split == Split.GRAPH && batches) {
      throw new InputException(
          "--split graph trains on the whole graph: leave --batch out, or use --split seeds");
    }
    if (split == Split.SEEDS && !batches) {
      throw new InputException(
          "--split seeds divides batches: say how large they are with --batch, as in --batch 1024");
    }
    if (anything() && !batches) {
      throw new InputException(
          NAMES + " are for batches: say how large with --batch, as in --batch 1024");
    }
    if (cacheRank != null && cacheBytes == null) {
      throw new InputException("--cache-rank is for a cache: say how large with --cache-bytes");
    }
    FetchSettings usual = FetchSettings.DEFAULT;
    return settings.withFetch(
        new FetchSettings(
            macrobatch == null ? usual.macrobatch() : requirePositive(macrobatch),
            memory(),
            cache(),
            topology == null ? usual.topology() : topology,
            mapped));
  }

  private boolean anything() {
    return macrobatch != null || memory != null || cacheBytes != null || topology != null;
  }

  /** Who says how many batches, and not how much memory, is taken at his word. */
  private long memory() {
    if (memory != null) {
      return RunOptions.bytes("--batch-memory", memory);
    }
    return macrobatch == null ? FetchSettings.DEFAULT.memory() : Long.MAX_VALUE;
  }

  private FetchSettings.Cache cache() {
    return cacheBytes == null
        ? FetchSettings.Cache.NONE
        : new FetchSettings.Cache(
            RunOptions.bytes("--cache-bytes", cacheBytes),
            cacheRank == null ? FetchSettings.Rank.PRESAMPLED : cacheRank);
  }

  private static int requirePositive(int batches) {
    if (batches < 1) {
      throw new InputException("--macrobatch must be at least 1, not " + batches);
    }
    return batches;
  }

  /** Refuses what would change nothing. */
  void requireSeveral(int workers) {
    if (workers == 1 && (split != null || topology != null)) {
      throw new InputException(
          "--split and --topology are for several workers, and there is one: add --workers");
    }
    if (workers == 1 && memory != null && macrobatch == null) {
      throw new InputException(
          "one worker loads batches one by one: with --batch-memory, say --macrobatch too");
    }
  }
}
