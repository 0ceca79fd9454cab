package dev.heddle.train;

import dev.heddle.comm.Group;
import dev.heddle.comm.Sent;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.train.batch.BatchSteps;
import dev.heddle.train.batch.BatchWork;
import dev.heddle.train.batch.FetchPlan;
import dev.heddle.train.batch.FetchReport;
import dev.heddle.train.batch.QueueReport;
import dev.heddle.train.halo.HaloReport;
import dev.heddle.train.layers.LayerDivision;
import dev.heddle.train.layers.LayerPipeline;
import dev.heddle.train.loop.Evaluator;
import dev.heddle.train.loop.FullGraphSteps;
import dev.heddle.train.loop.GatheredRows;
import dev.heddle.train.loop.GradientSync;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Loss;
import dev.heddle.train.loop.NonFinite;
import dev.heddle.train.loop.ParameterPlacement;
import dev.heddle.train.loop.StepSource;
import dev.heddle.train.loop.SyncReport;
import dev.heddle.train.loop.TrainLoop;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.pipeline.Stage;
import dev.heddle.train.pipeline.StageSeconds;
import dev.heddle.train.pipeline.Timeline;
import dev.heddle.train.pipeline.WorkerTimes;
import dev.heddle.train.plan.DepthChoice;
import dev.heddle.train.plan.DepthTrial;
import dev.heddle.train.plan.SplitPlanner;
import dev.heddle.train.plan.StagesOrParts;
import dev.heddle.train.plan.StrategyPlan;
import dev.heddle.train.run.BestParameters;
import dev.heddle.train.run.Checkpoints;
import dev.heddle.train.run.EpochReport;
import dev.heddle.train.run.History;
import dev.heddle.train.run.ModelFile;
import dev.heddle.train.run.ModelSchema;
import dev.heddle.train.run.Scores;
import dev.heddle.train.run.Task;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Compatibility;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A model on a graph, ready to be trained, scored and saved.
 *
 * <pre>{@code
 * try (Graph graph = Graph.open(Path.of("cora"));
 *     Training training =
 *         Training.of(
 *             graph,
 *             ModelSpec.of(ModelKind.GCN).hidden(16).build(),
 *             TrainSettings.builder().epochs(200).learningRate(0.01f).weightDecay(5e-4f).build())) {
 *   TrainResult result = training.run();
 *   System.out.printf("test accuracy %.1f %%%n", 100 * result.test());
 *   training.save(Path.of("cora.safetensors"));
 * }
 * }</pre>
 */
public final class Training implements AutoCloseable {
  private final Graph graph;
  private final TrainSettings settings;
  private final Memory budget;
  private final ThreadTeam team;
  private final Worker worker;
  private final LocalGraph local;
  private final @Nullable LayerPipeline layers;
  private final Model model;
  private final ParameterPlacement placement;
  private final StepSource steps;
  private final GradientSync gradients;
  private final TrainLoop loop;
  private final Evaluator evaluator;
  private final BestParameters best;
  private final History history;
  private final RunCheckpoints checkpoints;
  private final StrategyPlan plan;
  private final int evaluateEvery;
  private @Nullable Program exact;
  private Consumer<EpochReport> listener = _ -> {};
  private final @Nullable DepthChoice depthChoice;
  private BatchWork work = BatchWork.NOTHING;
  private Sent sent = Sent.NOTHING;
  private HaloReport halo = HaloReport.NOTHING;
  private FetchReport fetched = FetchReport.NOTHING;
  private SyncReport sync = SyncReport.NOTHING;
  private List<WorkerTimes> times = List.of();
  private volatile boolean stopAsked;
  private boolean stopped;

  private Training(
      Graph graph,
      ModelSpec spec,
      TrainSettings asked,
      Group group,
      Partition owners,
      Memory budget) {
    this.graph = graph;
    TrainSettings open = Compatibility.settled(asked, spec, group.size(), graph.features());
    this.budget = budget;
    Path scratch = open.scratch();
    Memory memory = scratch == null ? budget : budget.childInFiles(scratch);
    team = ThreadTeam.of(open.threads());
    LayerSplit split = open.layers();
    Partition ways = split == null ? owners : LayerDivision.ways(owners, split);
    Partition rows = split == null ? owners : LayerDivision.owners(ways, split);
    worker = new Worker(group, rows, team, memory);
    StepSource made = null;
    try {
      depthChoice =
          open.choosesDepth(group.size()) ? DepthTrial.choose(worker, graph, spec, open) : null;
      settings = depthChoice == null ? open : depthChoice.in(open, spec);
      Knobs knobs = settings.knobs();
      local =
          split == null ? LocalGraph.of(graph, worker, knobs) : LocalGraph.ofOutputs(graph, worker);
      model = Model.create(spec, local.shape(), memory, settings.seed());
      Loss.check(graph);
      BatchSettings batches = settings.batches();
      BatchSteps batched = batches == null ? null : new BatchSteps(local, model, batches, settings);
      made = batched;
      LayerDivision division =
          split == null ? null : LayerDivision.of(worker, graph, model, settings, ways);
      var planner = SplitPlanner.of(worker, graph, model, settings, batched, division);
      plan = StrategyPlan.agreed(planner, group);
      if (scratch == null) {
        long free = budget.available();
        long taken = Math.min(budget.bytes(), Long.MAX_VALUE - free);
        plan.requireFits(group.rank(), taken + free);
      }
      layers = division == null ? null : LayerPipeline.of(local, division, settings);
      Metric wished = settings.metric();
      Metric metric = wished == null ? Loss.usualMetric(TrainableGraph.labels(graph)) : wished;
      evaluator =
          new Evaluator(
              local,
              metric,
              layers == null ? Evaluator.Outputs.of(this::exactProgram) : layers::outputs);
      placement =
          division == null ? ParameterPlacement.replicated(model, group) : division.placement();
      gradients = GradientSync.of(knobs.sync(), placement, worker, settings.seed());
      if (layers != null) {
        made = layers.steps();
      } else {
        made = batched == null ? new FullGraphSteps(local, fullGraphProgram()) : batched;
      }
      steps = made;
      loop = new TrainLoop(worker, steps, placement, gradients, settings);
      best = new BestParameters(memory, model.parameters().state());
      history = new History(settings.patience(), metric.higherIsBetter());
      checkpoints =
          new RunCheckpoints(
              worker, graph, model, settings, placement, loop, best, history, layers);
      evaluateEvery = settings.evaluateEvery() >= 0 ? settings.evaluateEvery() : plan.seldom();
      // Probing what memory batches take is no part of training.
      worker.timeline().restart();
    } catch (RuntimeException | Error e) {
      close(made);
      throw e;
    }
  }

  /** The program of training on the full graph, by which scores are made too. */
  private Program fullGraphProgram() {
    var options = new Recorder.Options(settings.cacheConstants(), settings.halfWidth());
    exact = local.record(model, options).allocate(worker.memory(), team);
    // Over no rows, it only tells whether it can judge such labels: better now than after an epoch.
    double _ = evaluator.metric().evaluate(exact.output(), local.labels(), new int[0]);
    return exact;
  }

  /** The model over all of this worker's rows; batches need it first when they are scored. */
  private Program exactProgram() {
    Program known = exact;
    if (known == null) {
      var options = new Recorder.Options(settings.cacheConstants(), settings.halfWidth(), true);
      known = local.record(model, options).allocate(worker.memory(), team);
      exact = known;
    }
    return known;
  }

  /** What this run takes and sends, as it was planned before anything of it was allocated. */
  public StrategyPlan plan() {
    return plan;
  }

  /** Epochs from one evaluation to the next; 0 where there are none. */
  public int evaluateEvery() {
    return evaluateEvery;
  }

  /** Draws a model and takes all the memory that training it on the graph needs. */
  public static Training of(Graph graph, ModelSpec spec, TrainSettings settings) {
    return of(graph, spec, settings, Group.alone(), Partition.whole(graph.vertices()));
  }

  /**
   * Training by one of several workers, all of whom call the same methods. Every epoch ends with
   * the same parameters and scores at each of them. The first writes checkpoints; all resume from
   * them.
   *
   * @param owners worker r has the vertices of part r; where the model is cut by its layers and
   *     several workers share a stage, way w does
   */
  public static Training of(
      Graph graph, ModelSpec spec, TrainSettings settings, Group group, Partition owners) {
    return new Training(
        graph, spec, settings, group, owners, Memory.limitedTo(settings.memoryLimit()));
  }

  /**
   * Training by a worker whose memory counts in that of something larger, a process perhaps.
   *
   * @param budget is not closed with the training; all that is taken of it is given back
   */
  public static Training within(
      Memory budget,
      Graph graph,
      ModelSpec spec,
      TrainSettings settings,
      Group group,
      Partition owners) {
    return new Training(
        graph, spec, settings, group, owners, budget.childLimitedTo(settings.memoryLimit()));
  }

  /** Keeps all that happens from now on, for {@link #times}, and not only the last of it. */
  public Training trace() {
    worker.timeline().restart(Timeline.TRACE);
    return this;
  }

  /** Is told of every epoch as it ends. */
  public Training onEpoch(Consumer<EpochReport> consumer) {
    listener = consumer;
    return this;
  }

  /** Writes checkpoints while training. */
  public Training checkpoints(Checkpoints value) {
    checkpoints.into(value);
    return this;
  }

  /**
   * Goes on from the newest of the checkpoints: {@link #run} then comes to the same bits as a run
   * that was never interrupted.
   *
   * @return the epochs already done; none if there is no checkpoint
   */
  public List<EpochReport> resume() {
    checkpoints.restore();
    return history.reports();
  }

  /** Asks {@link #run} to end after the epoch that it is in; may be called from any thread. */
  public void stop() {
    stopAsked = true;
  }

  /** Whether {@link #run} ended because it was asked to. */
  public boolean stopped() {
    return stopped && !finished();
  }

  /**
   * Trains, and leaves the model as it was at the best validation score (at the last epoch where
   * there are no validation vertices).
   */
  public TrainResult run() {
    stopped = anyAsksToStop();
    worker.timeline().align();
    checkpoints.agree();
    // A run that may stop early would load batches in vain.
    if (settings.patience() == 0 && steps instanceof BatchSteps batches) {
      batches.expect(settings.epochs());
    }
    while (!finished() && !stopped) {
      int epoch = history.epochs() + 1;
      boolean evaluate =
          evaluateEvery > 0 && (epoch % evaluateEvery == 0 || epoch == settings.epochs());
      EpochReport report = evaluate ? epoch(epoch).with(evaluate()) : epoch(epoch);
      if (history.add(report)) {
        best.remember();
      }
      listener.accept(report);
      stopped = anyAsksToStop();
      if (checkpoints.due(epoch, finished() || stopped)) {
        worker.lane().begin(Stage.CHECKPOINT, epoch, 0);
        checkpoints.write(epoch);
        worker.lane().end();
      }
    }
    if (history.bestEpoch() > 0) {
      best.restore();
    }
    placement.gather(model.parameters().state());
    sent = Sent.by(worker.group());
    halo = layers == null ? local.haloReport() : layers.report();
    if (steps instanceof BatchSteps batches) {
      fetched = batches.fetched();
      work = batches.work().ofAll(worker.group());
    }
    sync = gradients.report();
    WorkerTimes own = worker.timeline().times(worker.rank());
    times = WorkerTimes.gathered(worker.group(), own, budget);
    return history.result();
  }

  /** Whether any worker is asked to stop; all get the same answer. */
  private boolean anyAsksToStop() {
    return worker.sum(stopAsked ? 1 : 0) > 0;
  }

  /** How many workers train together. */
  public int workers() {
    return worker.group().size();
  }

  /** What all workers have sent by the end of {@link #run}. */
  public Sent sent() {
    return sent;
  }

  /** How rows travelled between workers by the end of {@link #run}. */
  public HaloReport halo() {
    return halo;
  }

  /** What is in force: the knobs as they were asked for, and what was settled on where open. */
  public Knobs knobs() {
    Knobs asked = settings.knobs();
    FetchPlan plan = fetchPlan();
    Fetch settled = asked.fetch().withMacrobatch(plan.macrobatch()).withTopology(plan.topology());
    return asked.withFetch(settled);
  }

  /**
   * What a user should know of how the work is divided before it begins. Where stages have layers,
   * the graph is cut to find out whether its parts would send less.
   */
  public List<String> warnings() {
    if (layers == null) {
      return fetchPlan().warnings();
    }
    String parts = StagesOrParts.warning(plan, worker, graph, model, settings);
    return parts == null ? List.of() : List.of(parts);
  }

  /** How layers are divided among stages; null where the model is not cut. */
  public @Nullable LayerDivision division() {
    return layers == null ? null : layers.division();
  }

  /** How batches will be fetched from other workers. */
  public FetchPlan fetchPlan() {
    return steps instanceof BatchSteps batches ? batches.plan() : FetchPlan.NOTHING;
  }

  /** What batches fetched from other workers by the end of {@link #run}. */
  public FetchReport fetched() {
    return fetched;
  }

  /** How far apart workers were by the end of {@link #run}. */
  public SyncReport sync() {
    return sync;
  }

  /** How long the queues between this worker's stages were. */
  public QueueReport queues() {
    return steps instanceof BatchSteps batches ? batches.queues() : QueueReport.NONE;
  }

  /** What there was to do for all batches by the end of {@link #run}, by all workers together. */
  public BatchWork work() {
    return work;
  }

  /** What there was to do at this worker for all batches so far. */
  BatchWork ownWork() {
    return steps instanceof BatchSteps batches ? batches.work() : BatchWork.NOTHING;
  }

  /** How the depth at which owners take over was chosen; null where it was said. */
  public @Nullable DepthChoice depthChoice() {
    return depthChoice;
  }

  private boolean finished() {
    return history.epochs() >= settings.epochs() || history.shouldStop();
  }

  /**
   * One epoch without evaluation, for callers that drive training themselves.
   *
   * @param epoch counted from 1
   */
  public EpochReport epoch(int epoch) {
    double loss = loop.epoch(epoch);
    if (!Double.isFinite(loss)) {
      String input = NonFinite.in(graph);
      if (input != null) {
        throw new IllegalArgumentException(input);
      }
      throw new IllegalStateException(
          "the loss became " + loss + " in epoch " + epoch + ": try a smaller learning rate");
    }
    return new EpochReport(epoch, loss, loop.epochSeconds(), null);
  }

  /** The metric on the three parts of the split, with the parameters as they are. */
  public Scores evaluate() {
    return evaluator.evaluate();
  }

  /**
   * The model's outputs, a row per vertex in the user's order, before softmax or sigmoid. Workers
   * of a team call it together, and all get all rows.
   */
  public float[][] predict() {
    float[][] rows = GatheredRows.of(worker, local.part(), evaluator.predict());
    float[][] byUser = new float[rows.length][];
    for (int v = 0; v < rows.length; v++) {
      byUser[graph.userIndex(v)] = rows[v];
    }
    return byUser;
  }

  /** Writes the model as a safetensors file from which {@link Inference} can build it again. */
  public void save(Path file) {
    Task task = Task.of(TrainableGraph.labels(graph));
    ModelFile.write(file, model, task, metric(), ModelSchema.of(graph));
  }

  /** How long the stages of all epochs so far took at this worker. */
  public StageSeconds stageSeconds() {
    return StageSeconds.of(worker.timeline().times(worker.rank()));
  }

  /**
   * What each worker did by the end of {@link #run}: at the first worker of all, by rank; at the
   * others of their own.
   */
  public List<WorkerTimes> times() {
    return times;
  }

  /** What this worker is at; any thread may ask while {@link #run} goes on. */
  public LiveState now() {
    return new LiveState(
        worker.timeline().times(worker.rank()),
        worker.group().traffic(),
        budget.bytes(),
        budget.peakBytes(),
        settings.memoryLimit());
  }

  /** Arcs of all batches so far; none where there are no batches. */
  public long sampledArcs() {
    return steps instanceof BatchSteps batches ? batches.sampledArcs() : 0;
  }

  public Model model() {
    return model;
  }

  public Metric metric() {
    return evaluator.metric();
  }

  /** The most bytes outside the heap that were taken at a time, the graph's own aside. */
  public long peakMemoryBytes() {
    return budget.peakBytes();
  }

  @Override
  public void close() {
    close(steps);
  }

  private void close(@Nullable StepSource source) {
    if (gradients != null) {
      gradients.close();
    }
    if (source != null) {
      source.close();
    }
    if (layers != null) {
      layers.close();
    }
    if (local != null) {
      local.close();
    }
    team.close();
    budget.close();
  }
}
