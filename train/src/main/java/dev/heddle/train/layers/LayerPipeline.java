package dev.heddle.train.layers;

import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Matrix;
import dev.heddle.nn.Model;
import dev.heddle.nn.NormKind;
import dev.heddle.nn.program.Step;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.StepSource;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.TrainSettings;

/** What one worker has of a model that is cut by its layers: steps of training, and outputs. */
public final class LayerPipeline {
  private final ChunkPrograms programs;
  private final LayerSteps steps;
  private final HistoryHalo halo;

  private LayerPipeline(LocalGraph local, Model model, LayerSplit split, TrainSettings settings) {
    Chunks chunks =
        Chunks.of(
            local.whole(),
            Partition.whole(local.whole().vertices()),
            split.chunks(),
            settings.seed(),
            local.worker().team());
    ChunkRows rows = ChunkRows.of(local.whole(), chunks, 0, local.worker().memory());
    var progress = new EpochProgress(split.chunks(), split.history().refresh());
    halo = new HistoryHalo(rows, progress, split.compensation(), local.worker().memory());
    programs = new ChunkPrograms(local, model, chunks, halo, settings);
    steps = new LayerSteps(programs, halo, split.history(), settings.seed());
  }

  /** The part of a worker; all workers make theirs at the same point. */
  public static LayerPipeline of(
      LocalGraph local, Model model, LayerSplit split, TrainSettings settings) {
    check(model);
    return new LayerPipeline(local, model, split, settings);
  }

  private static void check(Model model) {
    if (model.spec().norm() == NormKind.BATCH) {
      throw new IllegalArgumentException(
          "batch norm is over all rows at once, and chunks pass one after another: use --norm"
              + " layer");
    }
  }

  public StepSource steps() {
    return steps;
  }

  /** Exact outputs for the worker's rows; see {@link dev.heddle.train.loop.Evaluator.Outputs}. */
  public Matrix outputs(Step step) {
    return programs.outputs(step);
  }

  ChunkPrograms programs() {
    return programs;
  }

  HistoryHalo halo() {
    return halo;
  }
}
