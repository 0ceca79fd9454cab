package dev.heddle.train.layers;

import dev.heddle.comm.Group;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Matrix;
import dev.heddle.nn.Model;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.program.Step;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.ParameterPlacement;
import dev.heddle.train.loop.StepSource;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one worker has of a model that is cut by its layers: steps of training, and outputs. */
public final class LayerPipeline implements AutoCloseable {
  /** What a worker computes while a byte travels: 100 GFLOPS beside 1 GB/s. */
  private static final double OPERATIONS_OF_A_BYTE = 100;

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
    boolean loops = model.spec().kind().selfLoops();
    ChunkHops hops = ChunkHops.of(local.whole(), rows, loops, worker.team(), worker.memory());
    boolean makes = split.stages() > 1 && makesInitial(split.initial(), model, local);
    StageCut cut;
    if (split.stages() == 1) {
      cut = StageCut.of(new int[] {0, model.sections()});
    } else if (makes) {
      // Sums over stages depend on where these begin: a seed must have the bits it always has.
      cut = StageCut.best(SectionCosts.reckoned(model, local.whole()), split.stages());
    } else {
      double[] costs =
          SectionCosts.measure(group, model, rows, hops, worker.team(), worker.memory());
      cut = StageCut.best(costs, split.stages());
    }
    stage = new StageModel(model, cut, place.stage(), makes);
    placement =
        split.stages() == 1
            ? ParameterPlacement.replicated(model, worker.group())
            : stage.placement(worker.group(), place.ofStage(), split.ways());
    programs = new ChunkPrograms(local, stage, place, hops, halo, settings);
    steps = new LayerSteps(programs, chunks, halo, split.history(), settings.seed());
  }

  /**
   * The part of a worker; all workers make theirs at the same point.
   *
   * @param ways way w has the vertices of part w
   */
  public static LayerPipeline of(
      LocalGraph local, Model model, LayerSplit split, TrainSettings settings, Partition ways) {
    StageCut.check(model, split.stages());
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

  /**
   * Whether stages make anew what later layers need of the first besides rows. Sent, it takes
   * {@code 2 N H'} numbers for each stage and epoch; made, two products of the features and sums of
   * the gradients of what makes it.
   */
  private static boolean makesInitial(LayerSplit.Initial wish, Model model, LocalGraph local) {
    long columns = model.outlines().stream().mapToLong(o -> o.in().initial()).max().orElse(0);
    if (columns == 0 || wish == LayerSplit.Initial.SENT) {
      return false;
    }
    if (wish == LayerSplit.Initial.MADE) {
      return true;
    }
    long features =
        switch (TrainableGraph.features(local.whole())) {
          case DenseFeatures dense -> (long) dense.matrix().rows() * dense.matrix().cols();
          case SparseFeatures sparse -> sparse.byRow().arcs();
        };
    long parameters =
        model.outlines().getFirst().parameters().stream().mapToLong(Parameter::count).sum();
    double sent = 2.0 * local.whole().vertices() * columns * Float.BYTES * OPERATIONS_OF_A_BYTE;
    double summed = 2.0 * parameters * Float.BYTES * OPERATIONS_OF_A_BYTE;
    return summed + 4.0 * features * columns < sent;
  }

  public StepSource steps() {
    return steps;
  }

  /**
   * What to say where stages must send more than parts of the graph would: {@code (S − 1)(H + H') N
   * ≥ L H M}. There are more chunks than there would be parts, and their halos, which M is of here,
   * are at least as many rows.
   *
   * @return one line; none where stages may send less, or where they do not have all of the graph
   */
  public @Nullable String warning() {
    if (place.stages() == 1
        || place.ofStage().size() > 1
        || halo.rows().chunks() < place.stages()) {
      return null;
    }
    long crossing = 0;
    for (int s = 1; s < place.stages(); s++) {
      StageModel each = new StageModel(stage.model(), stage.cut(), s, stage.makesInitial());
      crossing += (long) halo.rows().own() * each.columnsIn();
    }
    long columns =
        stage.model().outlines().stream().mapToLong(o -> (long) o.hops() * o.out().rows()).sum();
    long halos = 0;
    for (int c = 0; c < halo.rows().chunks(); c++) {
      halos += halo.rows().part(c).sources() - halo.rows().part(c).vertices();
    }
    return crossing < columns * halos
        ? null
        : "stages hand on %.1f MB in an epoch, and parts of this graph would send at most %.1f MB:"
                .formatted(8e-6 * crossing, 8e-6 * columns * halos)
            + " --split graph sends less";
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

  /** The first section of each stage, and the number of sections. */
  public List<Integer> cut() {
    return Arrays.stream(stage.cut().toArray()).boxed().toList();
  }

  /** Whether stages make anew what later layers need of the first besides rows. */
  public boolean makesInitial() {
    return stage.makesInitial();
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
