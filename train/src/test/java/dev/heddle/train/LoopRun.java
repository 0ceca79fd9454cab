package dev.heddle.train;

import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Model;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.train.batch.BatchSteps;
import dev.heddle.train.halo.HaloRows;
import dev.heddle.train.layers.LayerPipeline;
import dev.heddle.train.loop.Evaluator;
import dev.heddle.train.loop.FullGraphSteps;
import dev.heddle.train.loop.GradientSync;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Loss;
import dev.heddle.train.loop.ParameterPlacement;
import dev.heddle.train.loop.StepSource;
import dev.heddle.train.loop.TrainLoop;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.run.Scores;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Compatibility;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.TrainSettings;
import java.util.Arrays;
import java.util.Objects;

/** The training loop at one worker, put together from its parts around a model of the test's. */
public final class LoopRun implements AutoCloseable {
  private final StepSource steps;
  private final GradientSync gradients;
  private final TrainLoop loop;
  private final Evaluator evaluator;
  private final ParameterPlacement placement;

  private LoopRun(
      StepSource steps,
      GradientSync gradients,
      TrainLoop loop,
      Evaluator evaluator,
      ParameterPlacement placement) {
    this.gradients = gradients;
    this.placement = placement;
    this.steps = steps;
    this.loop = loop;
    this.evaluator = evaluator;
  }

  /** Training by the worker that has all of a graph. */
  public static LoopRun alone(
      Graph graph, Model model, TrainSettings settings, ThreadTeam team, Memory memory) {
    Worker worker = Worker.alone(graph, team, memory);
    return of(LocalGraph.of(graph, worker, settings.knobs()), model, settings);
  }

  /** Training on what a worker has of a graph, in batches where the settings say so. */
  public static LoopRun of(LocalGraph local, Model model, TrainSettings settings) {
    Worker worker = local.worker();
    Metric metric =
        settings.metric() == null
            ? Loss.usualMetric(TrainableGraph.labels(local.whole()))
            : settings.metric();
    LayerSplit layers = settings.layers();
    if (layers != null) {
      LayerPipeline pipeline = LayerPipeline.of(local, model, settings, ways(local, layers));
      ParameterPlacement placement = pipeline.division().placement();
      var gradients = GradientSync.of(settings.knobs().sync(), placement, worker, settings.seed());
      return new LoopRun(
          pipeline.steps(),
          gradients,
          new TrainLoop(worker, pipeline.steps(), placement, gradients, settings),
          new Evaluator(local, metric, pipeline::outputs),
          placement);
    }
    var placement = ParameterPlacement.replicated(model, worker.group());
    var gradients = GradientSync.of(settings.knobs().sync(), placement, worker, settings.seed());
    BatchSettings batches = settings.batches();
    if (batches != null) {
      var features = TrainableGraph.features(local.whole());
      Compatibility.check(settings, model.spec(), worker.group().size(), features);
    }
    var options =
        new Recorder.Options(settings.cacheConstants(), settings.halfWidth(), batches != null);
    Program program = local.record(model, options).allocate(worker.memory(), worker.team());
    StepSource steps =
        batches == null
            ? new FullGraphSteps(local, program)
            : new BatchSteps(local, model, batches, settings);
    return new LoopRun(
        steps,
        gradients,
        new TrainLoop(worker, steps, placement, gradients, settings),
        new Evaluator(local, metric, Evaluator.Outputs.of(() -> program)),
        placement);
  }

  /** Who shares the graph with a worker of the last stage. */
  private static Partition ways(LocalGraph local, LayerSplit layers) {
    Partition owners = local.worker().owners();
    int[] way = new int[owners.vertices()];
    Arrays.setAll(way, v -> owners.partOf(v) - layers.firstWithOutputs());
    return Partition.of(layers.ways(), way);
  }

  /** The exchange of a worker that has others to exchange with. */
  public static HaloRows halo(LocalGraph local) {
    return Objects.requireNonNull(local.halo());
  }

  public ParameterPlacement placement() {
    return placement;
  }

  public double epoch(int epoch) {
    return loop.epoch(epoch);
  }

  public Scores evaluate() {
    return evaluator.evaluate();
  }

  public Matrix predict() {
    return evaluator.predict();
  }

  @Override
  public void close() {
    gradients.close();
    steps.close();
  }
}
