package dev.heddle.train;

import dev.heddle.comm.Group;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.Split;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.GradientClip;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.NormKind;
import dev.heddle.nn.Optimizer;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Step;
import dev.heddle.train.batch.MacroLoader;
import dev.heddle.train.batch.Macrobatch;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Trains in batches that several workers share (data parallel): every batch is drawn from the
 * training vertices of all, and each worker learns from those of its vertices that it owns, whose
 * features and arcs it has. Neighbours of neighbours are drawn by their owners, by the same keys as
 * one worker would draw by, and their features fetched. Gradients are sums over all workers divided
 * by the seeds of the whole batch: however seeds are spread, a step is that of one worker, and all
 * take the same number of steps. Scores are exact, by the whole graph.
 */
final class SeedParallelTrainer implements Trainer {
  private final Group group;
  private final PartOfGraph share;
  private final Model model;
  private final TrainSettings settings;
  private final ThreadTeam workers;
  private final Memory memory;
  private final List<Parameter> parameters;
  private final Metric metric;
  private final Optimizer optimizer;
  private final @Nullable GradientClip clip;
  private final Step step;
  private final ProgramMemory values;
  private final @Nullable ThreadTeam loaders;
  private final MacroInputs inputs;
  private final FetchPlan plan;
  private final MacroFeed feed;
  private @Nullable Program whole;
  private long computeNanos;
  private long updateNanos;

  /**
   * A graph, who train on it, and what this worker has of it.
   *
   * @param inPlace whether features are read where the graph has them
   */
  record Subject(Graph graph, Team team, PartOfGraph share, boolean inPlace) {
    static Subject of(Graph graph, Team team, PartOfGraph share, TrainSettings settings) {
      // What was aggregated beforehand lies beside a copy of the features, row by row.
      boolean aggregated = MiniBatchTrainer.requireBatches(settings).aggregatedInputs();
      return new Subject(graph, team, share, settings.fetch().place().inPlace() && !aggregated);
    }

    /** Those of this worker's vertices, or of all where they are read in place. */
    Features features() {
      return inPlace ? TrainableGraph.features(graph) : share.features();
    }
  }

  private SeedParallelTrainer(
      Subject subject, Model model, TrainSettings settings, FullGraphTrainer.Place place) {
    group = subject.team.group();
    share = subject.share;
    this.model = model;
    this.settings = settings;
    workers = place.team();
    memory = place.memory();
    parameters = model.parameters().all();
    int[] train = TrainableGraph.split(subject.graph).train();
    Loss loss = Loss.of(memory, TrainableGraph.labels(subject.graph), train, train.length);
    metric = settings.metric() == null ? loss.usualMetric() : settings.metric();
    optimizer = settings.optimizer().create(memory, parameters, settings);
    clip =
        settings.clipNorm() == 0
            ? null
            : GradientClip.byNorm(memory, parameters, settings.clipNorm());
    step = new Step(settings.seed());
    values = new ProgramMemory(memory);
    BatchSettings batches = MiniBatchTrainer.requireBatches(settings);
    // A team serves one caller at a time: who works ahead has threads of its own.
    loaders = batches.ahead() ? ThreadTeam.of(1) : null;
    var loading = new NeighbourSampler.Place(loaders == null ? workers : loaders, memory);
    boolean given = MiniBatchTrainer.firstGiven(subject.graph, model, batches);
    Matrix aggregated = batches.aggregatedInputs() ? aggregated(model.spec().kind()) : null;
    inputs =
        MacroInputs.of(
            subject.features(),
            MacroInput.Form.of(given, aggregated != null),
            new NeighbourSampler.Place(workers, memory));
    var purpose = new BatchLoading.Purpose(model.spec().kind(), settings, given, aggregated);
    BatchLoading loads = BatchLoading.of(subject, purpose, loading);
    plan = loads.plan();
    feed = new MacroFeed(loads.loader(), loads.seeds(), slots(subject.graph, loads, batches));
  }

  static SeedParallelTrainer of(
      Subject subject, Model model, TrainSettings settings, FullGraphTrainer.Place place) {
    // Refusals come before anything is taken.
    MiniBatchTrainer.check(subject.graph, model, MiniBatchTrainer.requireBatches(settings));
    if (model.spec().norm() == NormKind.BATCH) {
      throw new IllegalArgumentException(
          "norm batch needs all rows of a batch at one worker: use norm layer, or one worker");
    }
    if (settings.fetch().cache().bytes() > 0
        && !(TrainableGraph.features(subject.graph) instanceof DenseFeatures)) {
      throw new IllegalArgumentException(
          "a cache keeps rows of dense features, and those of "
              + subject.graph.name()
              + " are sparse");
    }
    settings.halo().checkFetches(TrainableGraph.features(subject.graph));
    return new SeedParallelTrainer(subject, model, settings, place);
  }

  private Matrix aggregated(ModelKind kind) {
    Program _ = whole();
    Normalisation normalisation = kind.aggregation();
    return share.aggregated(
        normalisation == null ? Normalisation.SUM : normalisation, kind.selfLoops());
  }

  private List<MacroFeed.Slot> slots(Graph graph, BatchLoading loads, BatchSettings batches) {
    boolean given = inputs.givesFirst();
    var common = new BatchProgram.Common(model, given, values, workers, settings.halfWidth());
    int mostSeeds = loads.seeds().batchSize();
    BatchLabels labels = new BatchLabels(TrainableGraph.labels(graph), mostSeeds, memory);
    List<MacroFeed.Slot> slots = new ArrayList<>();
    for (int i = 0; i < (batches.ahead() ? 2 : 1); i++) {
      Macrobatch macrobatch = loads.loader().newMacrobatch(plan.macrobatch());
      List<BatchProgram> programs = new ArrayList<>();
      for (int k = 0; k < macrobatch.size(); k++) {
        var filled =
            new BatchProgram.Filled(macrobatch.batch(k), inputs.ofBatch(macrobatch, k), labels);
        programs.add(new BatchProgram(common, filled, mostSeeds, memory));
      }
      slots.add(new MacroFeed.Slot(macrobatch, programs));
    }
    return slots;
  }

  @Override
  public void expect(int lastEpoch) {
    feed.expect(lastEpoch);
  }

  @Override
  public double epoch(int epoch) {
    int batches = feed.begin(epoch);
    double sum = 0;
    for (int number = 0; number < batches; number++) {
      share.at(epoch, number + 1);
      sum += step(feed.next(), epoch, number);
    }
    return share.sum(sum) / share.trainVertices();
  }

  /** One step, together with all workers; returns the sum of this one's losses. */
  private double step(BatchProgram batch, int epoch, int number) {
    long start = System.nanoTime();
    for (int i = 0; i < parameters.size(); i++) {
      parameters.get(i).zeroGrad();
    }
    int seeds = feed.total(number);
    double value = 0;
    if (batch.batch().seeds() > 0) {
      batch.input().fetch(batch.batch());
      batch.labels().fetch(workers, batch.batch());
      Program program = batch.program();
      step.train(epoch, number);
      program.forward(step);
      value = batch.loss(seeds).gradient(workers, program.output(), program.outputGrad());
      program.backward(step);
    }
    share.sumGradients(parameters);
    if (clip != null) {
      clip.apply(workers);
    }
    long computed = System.nanoTime();
    optimizer.step(workers, settings.learningRate().at(epoch - 1));
    computeNanos += computed - start;
    updateNanos += System.nanoTime() - computed;
    return value * seeds;
  }

  @Override
  public Scores evaluate() {
    Matrix output = predict();
    Split split = share.split();
    return new Scores(
        share.score(metric, output, split.train()),
        share.score(metric, output, split.valid()),
        share.score(metric, output, split.test()));
  }

  @Override
  public Matrix predict() {
    Program program = whole();
    program.forward(step.evaluate());
    return program.output();
  }

  /** The model over the whole graph. */
  private Program whole() {
    if (whole == null) {
      var options = new Recorder.Options(settings.cacheConstants(), settings.halfWidth(), true);
      whole = share.record(model, options, memory).allocate(memory, workers);
    }
    return whole;
  }

  @Override
  public Optimizer optimizer() {
    return optimizer;
  }

  @Override
  public Metric metric() {
    return metric;
  }

  @Override
  public Training.StageSeconds stages(double epochSeconds) {
    MacroLoader loader = feed.loader();
    return new Training.StageSeconds(
        loader.sampleSeconds(),
        loader.fetchSeconds(),
        computeNanos * 1e-9,
        updateNanos * 1e-9,
        feed.idleSeconds());
  }

  @Override
  public long sampledArcs() {
    return feed.loader().arcs();
  }

  @Override
  public FetchPlan fetchPlan() {
    return plan;
  }

  @Override
  public FetchReport fetched() {
    MacroLoader loader = feed.loader();
    long[] rows = {loader.fetchedRows(), loader.wantedRows(), loader.cachedRows()};
    group.sum(rows);
    return new FetchReport(plan, new FetchReport.Rows(rows[0], rows[1], rows[2]), feed.bytes());
  }

  @Override
  public void close() {
    feed.close();
    inputs.close();
    values.close();
    if (loaders != null) {
      loaders.close();
    }
  }
}
