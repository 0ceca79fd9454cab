package dev.heddle.train;

import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Labels;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.Split;
import dev.heddle.graph.sample.BlockNeeds;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.kernel.HalfMatrix;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.GradientClip;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.Optimizer;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Step;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Trains in batches: each step learns from some of the training vertices, through a sample of what
 * is around them. Scores and predictions are exact, by the whole graph.
 */
final class MiniBatchTrainer implements Trainer {
  private final Graph graph;
  private final Model model;
  private final TrainSettings settings;
  private final ThreadTeam team;
  private final Memory memory;
  private final List<Parameter> parameters;
  private final Labels labels;
  private final Split split;
  private final Metric metric;
  private final Optimizer optimizer;
  private final @Nullable GradientClip clip;
  private final Step step;
  private final int trainVertices;
  private final ProgramMemory values;
  private final @Nullable ThreadTeam samplers;
  private final SampleFeed feed;
  private @Nullable Program whole;
  private long computeNanos;
  private long updateNanos;

  private MiniBatchTrainer(
      Graph graph, Model model, TrainSettings settings, FullGraphTrainer.Place place) {
    this.graph = graph;
    this.model = model;
    this.settings = settings;
    team = place.team();
    memory = place.memory();
    parameters = model.parameters().all();
    labels = TrainableGraph.labels(graph);
    split = TrainableGraph.split(graph);
    Loss loss = Loss.of(memory, labels, split.train(), split.train().length);
    metric = settings.metric() == null ? loss.usualMetric() : settings.metric();
    optimizer = settings.optimizer().create(memory, parameters, settings);
    clip =
        settings.clipNorm() == 0
            ? null
            : GradientClip.byNorm(memory, parameters, settings.clipNorm());
    step = new Step(settings.seed());
    BatchSettings batches = requireBatches(settings);
    values = new ProgramMemory(memory);
    // A team serves one caller at a time: who works ahead has threads of its own.
    samplers = batches.ahead() ? ThreadTeam.of(1) : null;
    trainVertices = split.train().length;
    try {
      feed = feed(batches, new NeighbourSampler.Place(samplers == null ? team : samplers, memory));
    } catch (RuntimeException | Error e) {
      closeMemory();
      throw e;
    }
  }

  static MiniBatchTrainer of(
      Graph graph, Model model, TrainSettings settings, FullGraphTrainer.Place place) {
    // Refusals come before anything is taken.
    check(graph, model, requireBatches(settings));
    return new MiniBatchTrainer(graph, model, settings, place);
  }

  /** Refuses batches that do not fit a model. */
  static void check(Graph graph, Model model, BatchSettings batches) {
    SampleSettings sampling = batches.sampling();
    if (!sampling.kind().induced() && sampling.hops() != model.hops()) {
      throw new IllegalArgumentException(
          "this %s takes %d hops and a fan-out for each, not %d"
              .formatted(model.spec().kind(), model.hops(), sampling.hops()));
    }
    if (batches.aggregatedInputs() && !firstGiven(graph, model, batches)) {
      throw new IllegalArgumentException(
          "inputs can be aggregated once where the first layer sums the dense features of sampled"
              + " neighbours, with nothing learnt or dropped before, as in gcn, sage, gin and sgc;"
              + " not in "
              + model.spec().kind()
              + " as it is here");
    }
  }

  /** Whether the model sees features through an aggregation that can be made before. */
  static boolean firstGiven(Graph graph, Model model, BatchSettings batches) {
    return TrainableGraph.features(graph) instanceof DenseFeatures
        && !batches.sampling().kind().induced()
        && model.spec().kind().aggregatesFeatures()
        && model.spec().inputDropout() == 0;
  }

  static BatchSettings requireBatches(TrainSettings settings) {
    BatchSettings batches = settings.batches();
    if (batches == null) {
      throw new IllegalArgumentException("these settings are not for batches");
    }
    return batches;
  }

  private SampleFeed feed(BatchSettings batches, NeighbourSampler.Place place) {
    ModelSpec spec = model.spec();
    Features features = TrainableGraph.features(graph);
    boolean given = firstGiven(graph, model, batches);
    Matrix once = batches.aggregatedInputs() ? aggregatedOnce(features) : null;
    HalfMatrix half =
        given && once == null && settings.halfWidth()
            ? HalfFeatures.of(((DenseFeatures) features).matrix(), team, memory)
            : null;
    var needs =
        new BlockNeeds(spec.kind().selfLoops(), spec.kind().aggregation(), given && once == null);
    BatchSettings drawn = once == null ? batches : batches.withoutLastHop();
    BatchPlan plan =
        BatchPlan.of(new BatchPlan.Subject(graph, spec, drawn, settings.seed()), needs, place);
    var common = new BatchProgram.Common(model, given, values, team, settings.halfWidth());
    List<BatchProgram> slots = new ArrayList<>();
    for (int i = 0; i < (batches.ahead() ? 2 : 1); i++) {
      BatchInput input =
          switch (features) {
            case DenseFeatures(Matrix rows) when given ->
                new AggregatedInput(new AggregatedInput.Source(rows, half, once), place);
            case DenseFeatures(Matrix rows) -> new RowInput(rows, place);
            case SparseFeatures sparse -> new SparseInput(sparse, place);
          };
      var filled =
          new BatchProgram.Filled(
              plan.sampler().newBatch(memory),
              input,
              new BatchLabels(labels, plan.mostSeeds(), memory));
      slots.add(new BatchProgram(common, filled, plan.mostSeeds(), memory));
    }
    return new SampleFeed(plan, slots, place.team());
  }

  private Matrix aggregatedOnce(Features features) {
    Normalisation normalisation = model.spec().kind().aggregation();
    return AggregatedFeatures.of(
        graph,
        ((DenseFeatures) features).matrix(),
        normalisation == null ? Normalisation.SUM : normalisation,
        new AggregatedFeatures.Place(team, memory, model.spec().kind().selfLoops()));
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
      BatchProgram batch = feed.next();
      // Parts of a graph may have nothing to learn from.
      if (batch.batch().seeds() > 0) {
        sum += step(batch, epoch, number) * batch.batch().seeds();
      }
    }
    return sum / trainVertices;
  }

  /** Forward, backward and update on one batch; returns its loss per seed. */
  private double step(BatchProgram batch, int epoch, int number) {
    long start = System.nanoTime();
    Program program = batch.program();
    step.train(epoch, number);
    for (int i = 0; i < parameters.size(); i++) {
      parameters.get(i).zeroGrad();
    }
    program.forward(step);
    double value = batch.loss().gradient(team, program.output(), program.outputGrad());
    program.backward(step);
    if (clip != null) {
      clip.apply(team);
    }
    long computed = System.nanoTime();
    optimizer.step(team, settings.learningRate().at(epoch - 1));
    computeNanos += computed - start;
    updateNanos += System.nanoTime() - computed;
    return value;
  }

  @Override
  public Scores evaluate() {
    Matrix output = predict();
    return new Scores(
        metric.evaluate(output, labels, split.train()),
        metric.evaluate(output, labels, split.valid()),
        metric.evaluate(output, labels, split.test()));
  }

  @Override
  public Matrix predict() {
    if (whole == null) {
      var options = new Recorder.Options(settings.cacheConstants(), settings.halfWidth(), true);
      whole = FullGraphProgram.record(graph, model, options, memory).allocate(memory, team);
    }
    whole.forward(step.evaluate());
    return whole.output();
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
    return new Training.StageSeconds(
        feed.sampleSeconds(),
        feed.fetchSeconds(),
        computeNanos * 1e-9,
        updateNanos * 1e-9,
        feed.idleSeconds());
  }

  @Override
  public long sampledArcs() {
    return feed.arcs();
  }

  @Override
  public void close() {
    feed.close();
    closeMemory();
  }

  private void closeMemory() {
    if (samplers != null) {
      samplers.close();
    }
    values.close();
  }
}
