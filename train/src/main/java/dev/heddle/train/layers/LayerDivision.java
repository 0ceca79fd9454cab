package dev.heddle.train.layers;

import dev.heddle.comm.Group;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Graph;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.partition.Partition;
import dev.heddle.nn.Model;
import dev.heddle.nn.Parameter;
import dev.heddle.train.loop.ParameterPlacement;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.TrainSettings;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * How a model and a graph are divided among workers: sections of the model among stages, vertices
 * of a stage among its ways, those of a way among chunks. All workers know it, alike, before any of
 * them takes memory for its share: {@link LayerPipeline} is built by it, and planned by it.
 */
public final class LayerDivision {
  private final LayerSplit split;
  private final Partition ways;
  private final Place place;
  private final Chunks chunks;
  private final long[] costs;
  private final StageModel stage;
  private final ParameterPlacement placement;

  private LayerDivision(
      Worker worker,
      Graph graph,
      Model model,
      TrainSettings settings,
      Partition ways,
      Chunks chunks) {
    this.chunks = chunks;
    split = Objects.requireNonNull(settings.layers());
    this.ways = ways;
    Group group = worker.group();
    place = Place.of(group, split);
    boolean makes = split.stages() > 1 && makesInitial(split.initial(), model, graph);
    costs = costs(worker, graph, model, makes);
    StageCut cut =
        split.stages() == 1
            ? StageCut.of(new int[] {0, model.sections()})
            : StageCut.best(Arrays.stream(costs).asDoubleStream().toArray(), split.stages());
    stage = new StageModel(model, cut, place.stage(), makes);
    placement =
        split.stages() == 1
            ? ParameterPlacement.replicated(model, group)
            : stage.placement(group, place.ofStage(), split.ways());
  }

  /**
   * The division of a run; all workers make it at the same point.
   *
   * @param ways way w has the vertices of part w
   */
  public static LayerDivision of(
      Worker worker, Graph graph, Model model, TrainSettings settings, Partition ways) {
    LayerSplit split = Objects.requireNonNull(settings.layers());
    StageCut.check(model, split);
    Chunks chunks = Chunks.of(graph, ways, split.chunks(), settings.seed(), worker.team());
    return new LayerDivision(worker, graph, model, settings, ways, chunks);
  }

  /** A division by given chunks of all vertices. */
  static LayerDivision by(
      Chunks chunks, Worker worker, Graph graph, Model model, TrainSettings settings) {
    Partition whole = Partition.whole(graph.vertices());
    return new LayerDivision(worker, graph, model, settings, whole, chunks);
  }

  /** What sections cost; the first worker says it to all. */
  private long[] costs(Worker worker, Graph graph, Model model, boolean makesInitial) {
    if (split.stages() == 1) {
      return new long[0];
    }
    long[] costs = new long[model.sections()];
    if (worker.rank() == 0) {
      if (!split.costs().isEmpty()) {
        Arrays.setAll(costs, split.costs()::get);
      } else if (makesInitial) {
        // Sums over stages depend on where these begin: a seed must have the bits it always has.
        costs = SectionCosts.reckoned(model, graph);
      } else {
        costs = SectionCosts.measure(worker, graph, model, chunks.partition());
      }
    }
    worker.group().sum(costs);
    return costs;
  }

  /**
   * Who shares the graph of a stage: nobody, where each of its workers has all of it.
   *
   * @param owners as workers would share the graph
   */
  public static Partition ways(Partition owners, LayerSplit split) {
    return split.ways() == 1 ? Partition.whole(owners.vertices()) : owners;
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
  private static boolean makesInitial(LayerSplit.Initial wish, Model model, Graph graph) {
    long columns = model.outlines().stream().mapToLong(o -> o.in().initial()).max().orElse(0);
    if (columns == 0 || wish == LayerSplit.Initial.SENT) {
      return false;
    }
    if (wish == LayerSplit.Initial.MADE) {
      return true;
    }
    long features =
        switch (TrainableGraph.features(graph)) {
          case DenseFeatures dense -> (long) dense.matrix().rows() * dense.matrix().cols();
          case SparseFeatures sparse -> sparse.byRow().arcs();
        };
    long parameters =
        model.outlines().getFirst().parameters().stream().mapToLong(Parameter::count).sum();
    double sent = 2.0 * graph.vertices() * columns * Float.BYTES * OPERATIONS_OF_A_BYTE;
    double summed = 2.0 * parameters * Float.BYTES * OPERATIONS_OF_A_BYTE;
    return summed + 4.0 * features * columns < sent;
  }

  /** What a worker computes while a byte travels: 100 GFLOPS beside 1 GB/s. */
  private static final double OPERATIONS_OF_A_BYTE = 100;

  LayerSplit split() {
    return split;
  }

  /** Where this worker stands. */
  public Place place() {
    return place;
  }

  /** Way w has the vertices of part w. */
  public Partition ways() {
    return ways;
  }

  Chunks chunks() {
    return chunks;
  }

  /** Part {@code way · chunks + chunk} is a chunk of a way. */
  public Partition chunkPartition() {
    return chunks.partition();
  }

  /** The sections that this worker has. */
  public StageModel stage() {
    return stage;
  }

  /** Who has which parameters. */
  public ParameterPlacement placement() {
    return placement;
  }

  /** What is done for gradients that chunks never get. */
  public LayerSplit.Compensation compensation() {
    return split.compensation();
  }

  /** The first section of each stage, and the number of sections. */
  public List<Integer> cut() {
    return Arrays.stream(stage.cut().toArray()).boxed().toList();
  }

  /** What each section costs, by which stages were cut; nothing where there is one stage. */
  public List<Long> costs() {
    return Arrays.stream(costs).boxed().toList();
  }

  /** Which sections each stage has, and what they cost, in one line. */
  public String line() {
    double all = Arrays.stream(costs).sum();
    return IntStream.range(0, stage.cut().stages())
        .mapToObj(s -> {
          int from = stage.cut().from(s);
          int to = stage.cut().to(s);
          double part = costs.length == 0 ? 1 : Arrays.stream(costs, from, to).sum() / all;
          return String.format(
              Locale.ROOT, "%d to %d (%.0f %% of the cost)", from + 1, to, 100 * part);
        })
        .collect(Collectors.joining(", ", "stages have sections ", ""));
  }
}
