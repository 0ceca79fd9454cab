package dev.heddle.cli;

import dev.heddle.train.settings.BatchSplit;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.Split;
import dev.heddle.train.settings.Sync;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of the knobs: how the work is placed among workers, and timed. */
final class KnobOptions {
  @Option(
      names = "--split",
      description =
          "What workers divide: ${COMPLETION-CANDIDATES}: graph, its vertices through all layers;"
              + " seeds, the training vertices of each batch; batch, all vertices of each batch, each"
              + " computed by its owner (default: none with one worker, else"
              + " seeds with --batch, else graph).")
  private @Nullable Split split;

  @Option(
      names = "--depth",
      description =
          "With --split batch, layers nearest the seeds that each worker computes for its own seeds"
              + " alone (default: 0).")
  private @Nullable Integer depth;

  @Option(
      names = "--presample",
      description =
          "With --split batch, epochs sampled beforehand to give workers equally much to do and few"
              + " rows to send; 0 to split the graph as --partition says (default: 5, and 0 with"
              + " --partition or --partition-file).")
  private @Nullable Integer presample;

  @Mixin private CodecOptions codec = new CodecOptions();

  @Option(
      names = "--overlap",
      description =
          "Whether rows of the whole graph travel while what needs none of them is computed:"
              + " ${COMPLETION-CANDIDATES} (default: off). Batches travel ahead by --ahead.")
  private @Nullable OnOff overlap;

  @Mixin private FetchOptions fetch = new FetchOptions();

  @Option(
      names = "--half-sums",
      description =
          "Whether workers sum gradients of parameters as bfloat16, half the bytes:"
              + " ${COMPLETION-CANDIDATES} (default: off). Worth it where parameters"
              + " are many beside the rows that travel.")
  private @Nullable OnOff halfSums;

  /**
   * What these options say, else what stands in {@code base}.
   *
   * @param mapped whether the graph is to be used where it lies
   */
  Knobs over(Knobs base, boolean mapped) {
    Knobs knobs =
        new Knobs(
            split != null ? split : base.split(),
            codec.over(base.codec()),
            OnOff.or(overlap, base.overlap()),
            fetch.over(base.fetch(), mapped),
            base.queues(),
            new Sync.EveryStep(OnOff.or(halfSums, base.sync().halfSums())),
            batchSplit(base.batchSplit()));
    codec.settle(knobs.codec());
    return knobs;
  }

  private BatchSplit batchSplit(BatchSplit base) {
    return new BatchSplit(
        depth == null ? base.depth() : depth, presample == null ? base.presample() : presample);
  }
}
