package dev.heddle.train;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.Workers;
import dev.heddle.nn.EarlyStopping;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.SafetensorsWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

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
  private final Memory memory = new Memory();
  private final Workers workers;
  private final Model model;
  private final FullGraphTrainer trainer;
  private Consumer<EpochReport> listener = _ -> {};

  private Training(Graph graph, ModelSpec spec, TrainSettings settings) {
    this.graph = graph;
    this.settings = settings;
    workers = Workers.of(settings.threads());
    try {
      var shape =
          new Model.Shape(
              TrainableGraph.features(graph).width(), TrainableGraph.labels(graph).width());
      model = Model.create(spec, shape, memory, settings.seed());
      trainer =
          new FullGraphTrainer(graph, model, settings, new FullGraphTrainer.Place(workers, memory));
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /** Draws a model and takes all the memory that training it on the graph needs. */
  public static Training of(Graph graph, ModelSpec spec, TrainSettings settings) {
    return new Training(graph, spec, settings);
  }

  /** Is told of every epoch as it ends. */
  public Training onEpoch(Consumer<EpochReport> consumer) {
    listener = consumer;
    return this;
  }

  /**
   * Trains, and leaves the model as it was at the best validation score (at the last epoch where
   * there are no validation vertices).
   */
  public TrainResult run() {
    List<EpochReport> reports = new ArrayList<>();
    BestParameters best = new BestParameters(memory, model.parameters().all());
    Metric metric = trainer.metric();
    EarlyStopping stopping =
        new EarlyStopping(
            settings.patience() == 0 ? Integer.MAX_VALUE : settings.patience(),
            metric.higherIsBetter(),
            0);
    Scores scores = new Scores(Double.NaN, Double.NaN, Double.NaN);
    int bestEpoch = 0;
    for (int epoch = 1; epoch <= settings.epochs() && !stopping.shouldStop(); epoch++) {
      boolean evaluate = epoch % settings.evaluateEvery() == 0 || epoch == settings.epochs();
      EpochReport report = evaluate ? epoch(epoch).with(trainer.evaluate()) : epoch(epoch);
      reports.add(report);
      listener.accept(report);
      Scores now = report.scores();
      if (now == null) {
        continue;
      }
      if (Double.isNaN(now.valid()) || stopping.observe(epoch, now.valid())) {
        scores = now;
        bestEpoch = epoch;
        best.remember();
      }
    }
    best.restore();
    return new TrainResult(bestEpoch, scores, reports);
  }

  /**
   * One epoch without evaluation, for callers that drive training themselves.
   *
   * @param epoch counted from 1
   */
  public EpochReport epoch(int epoch) {
    long start = System.nanoTime();
    double loss = trainer.epoch(epoch);
    double seconds = (System.nanoTime() - start) * 1e-9;
    if (!Double.isFinite(loss)) {
      throw new IllegalStateException(
          "the loss became " + loss + " in epoch " + epoch + ": try a smaller learning rate");
    }
    return new EpochReport(epoch, loss, seconds, null);
  }

  /** The metric on the three parts of the split, with the parameters as they are. */
  public Scores evaluate() {
    return trainer.evaluate();
  }

  /** The model's outputs, a row per vertex in the user's order, before softmax or sigmoid. */
  public float[][] predict() {
    float[][] local = trainer.predict().toArray();
    float[][] byUser = new float[local.length][];
    for (int v = 0; v < local.length; v++) {
      byUser[graph.userIndex(v)] = local[v];
    }
    return byUser;
  }

  /** Writes the parameters as a safetensors file. */
  public void save(Path file) {
    SafetensorsWriter writer = new SafetensorsWriter();
    writer.metadata("heddle.model", model.spec().kind().label());
    model.parameters().all().forEach(p -> writer.add(p.name(), p.value()));
    writer.write(file);
  }

  public Model model() {
    return model;
  }

  public Metric metric() {
    return trainer.metric();
  }

  /** Bytes taken outside the heap: parameters, values, gradients, and what derives from arcs. */
  public long memoryBytes() {
    return memory.bytes();
  }

  @Override
  public void close() {
    workers.close();
    memory.close();
  }
}
