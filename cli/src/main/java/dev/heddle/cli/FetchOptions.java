package dev.heddle.cli;

import dev.heddle.train.FetchSettings;
import dev.heddle.train.TrainSettings;
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
          "Batches whose sampling and fetching workers do at once, in one round of messages for"
              + " each hop; what is trained is the same for any number (default: as many as"
              + " --batch-memory allows, at most 32).")
  private @Nullable Integer macrobatch;

  @Option(
      names = "--batch-memory",
      description =
          "Memory of each worker for batches that are sampled and fetched: 512m, 2g (default:"
              + " 512m).")
  private @Nullable String memory;

  /** Settings with what these options say. */
  TrainSettings apply(TrainSettings settings) {
    boolean batches = settings.batches() != null;
    if (split == Split.GRAPH && batches) {
      throw new InputException(
          "--split graph trains on the whole graph: leave --batch out, or use --split seeds");
    }
    if (split == Split.SEEDS && !batches) {
      throw new InputException(
          "--split seeds divides batches: say how large they are with --batch, as in --batch 1024");
    }
    if ((macrobatch != null || memory != null) && !batches) {
      throw new InputException(
          "--macrobatch and --batch-memory are for batches: say how large with --batch, as in"
              + " --batch 1024");
    }
    FetchSettings usual = FetchSettings.DEFAULT;
    return settings.withFetch(
        new FetchSettings(
            macrobatch == null ? usual.macrobatch() : requirePositive(macrobatch),
            memory == null ? usual.memory() : RunOptions.bytes("--batch-memory", memory)));
  }

  private static int requirePositive(int batches) {
    if (batches < 1) {
      throw new InputException("--macrobatch must be at least 1, not " + batches);
    }
    return batches;
  }

  /** Refuses what would change nothing. */
  void requireSeveral(int workers) {
    if (workers == 1 && (split != null || macrobatch != null || memory != null)) {
      throw new InputException(
          "--split, --macrobatch and --batch-memory are for several workers, and there is one: add"
              + " --workers");
    }
  }
}
