package dev.heddle.train.layers;

import dev.heddle.comm.ExchangeTimes;
import dev.heddle.comm.Group;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Matrix;
import dev.heddle.nn.Model;
import dev.heddle.nn.program.Step;
import dev.heddle.train.halo.EpochExchanges;
import dev.heddle.train.halo.HaloReport;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.StepSource;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Path;
import java.util.List;

/** What one worker has of a model that is cut by its layers: steps of training, and outputs. */
public final class LayerPipeline implements AutoCloseable {
  private final LayerDivision division;
  private final ChunkPrograms programs;
  private final LayerSteps steps;
  private final EpochExchanges exchanges;
  private final HistoryHalo halo;
  private final Group group;
  private final String identity;

  private LayerPipeline(LocalGraph local, LayerDivision division, TrainSettings settings) {
    this.division = division;
    Worker worker = local.worker();
    group = worker.group();
    LayerSplit split = division.split();
    Place place = division.place();
    identity = "way " + place.way() + " of " + split.identity() + ", seed " + settings.seed();
    ChunkRows rows =
        ChunkRows.of(
            local.whole(), division.ways(), division.chunks(), place.ofStage(), worker.memory());
    var progress = new EpochProgress(split.chunks(), split.history().refresh());
    halo = new HistoryHalo(rows, progress, split.compensation(), settings.knobs(), worker);
    boolean loops = division.stage().model().spec().kind().selfLoops();
    ChunkHops hops = ChunkHops.of(local.whole(), rows, loops, worker.team(), worker.memory());
    programs = new ChunkPrograms(local, division.stage(), place, hops, halo, settings);
    exchanges = new EpochExchanges(programs::addTimesTo, worker.lane());
    steps =
        new LayerSteps(
            programs, division.chunks(), halo, split.history(), exchanges, settings.seed());
  }

  /** The share of a worker; all workers make theirs at the same point. */
  public static LayerPipeline of(LocalGraph local, LayerDivision division, TrainSettings settings) {
    return new LayerPipeline(local, division, settings);
  }

  /**
   * The share of a worker in a division that is made for it.
   *
   * @param ways way w has the vertices of part w
   */
  public static LayerPipeline of(
      LocalGraph local, Model model, TrainSettings settings, Partition ways) {
    LayerDivision division = LayerDivision.of(local.worker(), local.whole(), model, settings, ways);
    return new LayerPipeline(local, division, settings);
  }

  public StepSource steps() {
    return steps;
  }

  /** How rows travelled in all epochs so far, of all workers together, who all call it. */
  public HaloReport report() {
    ExchangeTimes own = exchanges.all();
    long[] all = {own.travelNanos(), own.exposedNanos(), own.codingNanos(), own.sentBytes()};
    group.sum(all);
    return new HaloReport(
        new ExchangeTimes(all[0], all[1], all[2], all[3]),
        /* assignSeconds= */ 0,
        List.of(),
        exchanges.typical(group),
        HaloReport.NOTHING.rows(),
        /* roundedBytes= */ 0);
  }

  /** How the model and the graph are divided among workers. */
  public LayerDivision division() {
    return division;
  }

  /** Exact outputs for the worker's rows; see {@link dev.heddle.train.loop.Evaluator.Outputs}. */
  public Matrix outputs(Step step) {
    return programs.outputs(step);
  }

  /** Writes history beside the checkpoint of an epoch; all workers call it, and wait for all. */
  public void saveHistory(Path folder, int epoch) {
    new HistoryFiles(folder, identity).write(epoch, division.place(), halo);
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

  ChunkPrograms programs() {
    return programs;
  }

  Chunks chunks() {
    return division.chunks();
  }

  HistoryHalo halo() {
    return halo;
  }

  StageModel stage() {
    return division.stage();
  }

  /** Waits until what was sent has left. */
  @Override
  public void close() {
    programs.close();
  }
}
