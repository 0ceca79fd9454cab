package dev.heddle.train.layers;

import dev.heddle.comm.Group;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Matrix;
import dev.heddle.nn.Model;
import dev.heddle.nn.NormKind;
import dev.heddle.nn.program.Step;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.ParameterPlacement;
import dev.heddle.train.loop.StepSource;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Path;
import java.util.Arrays;

/** What one worker has of a model that is cut by its layers: steps of training, and outputs. */
public final class LayerPipeline implements AutoCloseable {
  private final ChunkPrograms programs;
  private final Chunks chunks;
  private final LayerSteps steps;
  private final HistoryHalo halo;
  private final StageModel stage;
  private final ParameterPlacement placement;
  private final Place place;
  private final Group group;
  private final String identity;

  private LayerPipeline(
      LocalGraph local, Model model, LayerSplit split, TrainSettings settings, Partition ways) {
    Worker worker = local.worker();
    group = worker.group();
    place = Place.of(group, split);
    identity = "way " + place.way() + " of " + split.identity() + ", seed " + settings.seed();
    chunks = Chunks.of(local.whole(), ways, split.chunks(), settings.seed(), worker.team());
    ChunkRows rows = ChunkRows.of(local.whole(), ways, chunks, place.ofStage(), worker.memory());
    var progress = new EpochProgress(split.chunks(), split.history().refresh());
    halo = new HistoryHalo(rows, progress, split.compensation(), settings.knobs(), worker.memory());
    double[] costs = new double[model.sections()];
    for (int section = 0; section < costs.length; section++) {
      costs[section] = model.outlines().get(section).hops() + 0.1;
    }
    StageCut cut = StageCut.best(costs, split.stages());
    stage = new StageModel(model, cut, place.stage(), false);
    placement =
        split.stages() == 1
            ? ParameterPlacement.replicated(model, worker.group())
            : stage.placement(worker.group(), place.ofStage(), split.ways());
    programs = new ChunkPrograms(local, stage, place, halo, settings);
    steps = new LayerSteps(programs, chunks, halo, split.history(), settings.seed());
  }

  /**
   * The part of a worker; all workers make theirs at the same point.
   *
   * @param ways way w has the vertices of part w
   */
  public static LayerPipeline of(
      LocalGraph local, Model model, LayerSplit split, TrainSettings settings, Partition ways) {
    check(model, split);
    return new LayerPipeline(local, model, split, settings, ways);
  }

  /**
   * Who has which vertices to score: workers of the last stage.
   *
   * @param ways way w has the vertices of part w
   */
  public static Partition owners(Partition ways, LayerSplit split) {
    int[] owner = new int[ways.vertices()];
    Arrays.setAll(owner, v -> split.firstWithOutputs() + ways.partOf(v));
    return Partition.of(split.workers(), owner);
  }

  private static void check(Model model, LayerSplit split) {
    StageCut.check(model, split.stages());
    if (model.spec().norm() == NormKind.BATCH) {
      throw new IllegalArgumentException(
          "batch norm is over all rows at once, and chunks pass one after another: use --norm"
              + " layer");
    }
  }

  public StepSource steps() {
    return steps;
  }

  /** Who has which parameters. */
  public ParameterPlacement placement() {
    return placement;
  }

  /** Exact outputs for the worker's rows; see {@link dev.heddle.train.loop.Evaluator.Outputs}. */
  public Matrix outputs(Step step) {
    return programs.outputs(step);
  }

  /** Writes history beside the checkpoint of an epoch; all workers call it, and wait for all. */
  public void saveHistory(Path folder, int epoch) {
    new HistoryFiles(folder, identity).write(epoch, place, halo);
    group.barrier();
  }

  /**
   * Takes history from beside the checkpoint of an epoch; all workers call it.
   *
   * @return whether it was there for all of them; if not, rows are made anew by an exact forward,
   *     and what comes is not what would have come without a pause
   */
  public boolean restoreHistory(Path folder, int epoch) {
    boolean there = new HistoryFiles(folder, identity).read(epoch, halo);
    long[] found = {there ? 1 : 0};
    group.sum(found);
    if (found[0] < group.size()) {
      halo.progress().forgetHistory();
      return false;
    }
    return true;
  }

  /** Bytes of rows that this worker sends in an epoch of training, to the stages beside its own. */
  public long trainingBytes() {
    return programs.sentBytes(true);
  }

  /** The same of an evaluation. */
  public long evaluationBytes() {
    return programs.sentBytes(false);
  }

  ChunkPrograms programs() {
    return programs;
  }

  Chunks chunks() {
    return chunks;
  }

  HistoryHalo halo() {
    return halo;
  }

  StageModel stage() {
    return stage;
  }

  /** Waits until what was sent has left. */
  @Override
  public void close() {
    programs.close();
  }
}
