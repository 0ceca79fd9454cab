package dev.heddle.cli;

import dev.heddle.train.layers.LayerDivision;
import dev.heddle.train.settings.BatchSplit;
import dev.heddle.train.settings.Compatibility;
import dev.heddle.train.settings.Depth;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.Preset;
import dev.heddle.train.settings.Split;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of the knobs: how the work is placed among workers, and timed. */
final class KnobOptions {
  @Option(
      names = "--preset",
      description = {
        "Knobs as a published system sets them: ${COMPLETION-CANDIDATES}.",
        "Each can be overridden by its own option."
      })
  private @Nullable Preset preset;

  @Option(
      names = "--split",
      description =
          "What workers divide: ${COMPLETION-CANDIDATES}: graph, its vertices through all layers;"
              + " seeds, the training vertices of each batch; batch, all vertices of each batch, each"
              + " computed by its owner; layers, the model's layers, through which vertices pass in"
              + " chunks; hybrid, layers and graph (default: none with one worker, else seeds with"
              + " --batch, else graph).")
  private @Nullable Split split;

  /** {@code 1}, {@code auto}, or {@code auto=1} of a run that has chosen. */
  static final class DepthConverter implements ITypeConverter<Depth> {
    @Override
    public Depth convert(String text) {
      return Depth.parse(text);
    }
  }

  @Option(
      names = "--depth",
      paramLabel = "<layers>|auto",
      converter = DepthConverter.class,
      description =
          "With --split batch, layers nearest the seeds that each worker computes for its own seeds"
              + " alone; auto samples some batches as each depth would, and takes the one whose step"
              + " is predicted to be shortest, --split seeds perhaps (default: 0).")
  private @Nullable Depth depth;

  @Option(
      names = "--presample",
      description =
          "With --split batch, epochs sampled beforehand to give workers equally much to do and few"
              + " rows to send; 0 to split the graph as --partition says (default: 5, and 0 with"
              + " --partition or --partition-file).")
  private @Nullable Integer presample;

  @Option(
      names = "--groups",
      description =
          "With --split batch, groups of workers: each computes batches of its own share of the seeds"
              + " together, and all sum gradients. Workers of a group follow one another (default:"
              + " 1).")
  private @Nullable Integer groups;

  @Mixin private LayerOptions layers = new LayerOptions();

  @Mixin private CodecOptions codec = new CodecOptions();

  @Option(
      names = "--overlap",
      description = {
        "Compute while rows travel: ${COMPLETION-CANDIDATES} (default: off).",
        "Results are the same bits. For the whole graph; batches travel ahead by --ahead."
      })
  private @Nullable OnOff overlap;

  @Mixin private FetchOptions fetch = new FetchOptions();

  @Mixin private SyncOptions sync = new SyncOptions();

  /** The preset that is asked for; null if none is. */
  @Nullable Preset preset() {
    return preset;
  }

  /**
   * What these options say, else what the preset sets, else the baseline's.
   *
   * @param epochs that the run takes
   * @param workers that train together
   * @param mapped whether the graph is to be used where it lies
   */
  Knobs settled(int epochs, int workers, boolean mapped) {
    Knobs base = Knobs.DEFAULT;
    if (preset != null) {
      Compatibility.check(preset, workers);
      base = preset.knobs(epochs, workers);
    }
    Knobs knobs =
        new Knobs(
            split != null ? split : base.split(),
            layers.over(base.layers()),
            codec.over(base.codec()),
            OnOff.or(overlap, base.overlap()),
            fetch.over(base.fetch(), mapped),
            sync.queues(base.queues()),
            sync.over(base.sync()),
            batchSplit(base.batchSplit()));
    if (knobs.split().cutsLayers()) {
      split = knobs.split();
      layers.settle(knobs.among(workers, /* batches= */ false).layers());
    }
    codec.settle(knobs.codec());
    overlap = OnOff.of(knobs.overlap());
    fetch.settle(knobs.fetch());
    sync.settle(knobs.queues(), knobs.sync());
    return knobs;
  }

  /** See {@link LayerOptions#keepCosts}. */
  void keepCosts(LayerDivision division) {
    layers.keepCosts(division);
  }

  /** Keeps the depth that a dry run chose, so that the run's file says it. */
  void settleDepth(Knobs settled) {
    split = settled.split();
    depth = settled.batchSplit().depth();
  }

  private BatchSplit batchSplit(BatchSplit base) {
    return new BatchSplit(
        depth == null ? base.depth() : depth,
        presample == null ? base.presample() : presample,
        groups == null ? base.groups() : groups);
  }
}
