package dev.heddle.train;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelSpec;
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
  private final Memory memory;
  private final ThreadTeam workers;
  private final Model model;
  private final Share share;
  private final Trainer trainer;
  private final BestParameters best;
  private final History history;
  private Consumer<EpochReport> listener = _ -> {};
  private @Nullable Checkpoints checkpoints;
  private @Nullable Identity identity;
  private Sent sent = Sent.NOTHING;
  private HaloReport halo = HaloReport.NOTHING;
  private FetchReport fetched = FetchReport.NOTHING;
  private double epochSeconds;
  private volatile boolean stopAsked;
  private boolean stopped;

  private Training(Graph graph, ModelSpec spec, TrainSettings settings, @Nullable Team team) {
    this.graph = graph;
    this.settings = settings;
    Path scratch = settings.scratch();
    memory = scratch == null ? Memory.limitedTo(settings.memoryLimit()) : Memory.inFiles(scratch);
    workers = ThreadTeam.of(settings.threads());
    try {
      var place = new FullGraphTrainer.Place(workers, memory);
      share =
          team == null ? WholeGraph.of(graph) : PartOfGraph.of(graph, team, place, settings.halo());
      model = Model.create(spec, share.shape(), memory, settings.seed());
      HalfWidth.check(graph, model, settings, team == null);
      BatchSettings batches = settings.batches();
      trainer =
          batches == null
              ? new FullGraphTrainer(share, model, settings, place)
              : team != null && share instanceof PartOfGraph part
                  ? SeedParallelTrainer.of(
                      SeedParallelTrainer.Subject.of(graph, team, part, settings),
                      model,
                      settings,
                      place)
                  : MiniBatchTrainer.of(graph, model, settings, place);
      best = new BestParameters(memory, model.parameters().state());
      history = new History(settings.patience(), trainer.metric().higherIsBetter());
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /** Draws a model and takes all the memory that training it on the graph needs. */
  public static Training of(Graph graph, ModelSpec spec, TrainSettings settings) {
    return new Training(graph, spec, settings, null);
  }

  /**
   * The same on one worker's part of the graph; all workers of the team call the same methods.
   * Every epoch ends with the same parameters and scores at each of them. The first writes
   * checkpoints; all resume from them.
   */
  public static Training of(Graph graph, ModelSpec spec, TrainSettings settings, Team team) {
    settings.halo().check(spec.kind());
    return new Training(graph, spec, settings, team);
  }

  /** Is told of every epoch as it ends. */
  public Training onEpoch(Consumer<EpochReport> consumer) {
    listener = consumer;
    return this;
  }

  /** Writes checkpoints while training. */
  public Training checkpoints(Checkpoints value) {
    checkpoints = value;
    return this;
  }

  /**
   * Goes on from the newest of the checkpoints: {@link #run} then comes to the same bits as a run
   * that was never interrupted.
   *
   * @return the epochs already done; none if there is no checkpoint
   */
  public List<EpochReport> resume() {
    if (checkpoints == null) {
      throw new IllegalStateException("there is no folder of checkpoints to resume from");
    }
    checkpoints.restore(checkpoint(), history);
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
    stopped = share.any(stopAsked);
    // Who may stop early would load in vain.
    if (settings.patience() == 0) {
      trainer.expect(settings.epochs());
    }
    while (!finished() && !stopped) {
      int epoch = history.epochs() + 1;
      share.at(epoch, 1);
      boolean evaluate =
          settings.evaluateEvery() > 0
              && (epoch % settings.evaluateEvery() == 0 || epoch == settings.epochs());
      EpochReport report = evaluate ? epoch(epoch).with(trainer.evaluate()) : epoch(epoch);
      if (history.add(report)) {
        best.remember();
      }
      listener.accept(report);
      stopped = share.any(stopAsked);
      if (checkpoints != null
          && share.leads()
          && (checkpoints.due(epoch) || finished() || stopped)) {
        checkpoints.write(checkpoint(), history);
      }
    }
    if (history.bestEpoch() > 0) {
      best.restore();
    }
    sent = share.sent();
    halo = share.halo();
    fetched = trainer.fetched();
    return history.result();
  }

  /** How many workers train together. */
  public int workers() {
    return share.workers();
  }

  /** What all workers have sent by the end of {@link #run}. */
  public Sent sent() {
    return sent;
  }

  /** How rows travelled between workers by the end of {@link #run}. */
  public HaloReport halo() {
    return halo;
  }

  /** How batches will be fetched from other workers. */
  public FetchPlan fetchPlan() {
    return trainer.fetchPlan();
  }

  /** What batches fetched from other workers by the end of {@link #run}. */
  public FetchReport fetched() {
    return fetched;
  }

  private boolean finished() {
    return history.epochs() >= settings.epochs() || history.shouldStop();
  }

  private Checkpoint checkpoint() {
    if (identity == null) {
      identity = Identity.of(graph, model, settings);
    }
    return new Checkpoint(model.parameters().state(), best, trainer.optimizer().state(), identity);
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
    epochSeconds += seconds;
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

  /**
   * The model's outputs, a row per vertex in the user's order, before softmax or sigmoid. Workers
   * of a team call it together, and all get all rows.
   */
  public float[][] predict() {
    float[][] local = share.gather(trainer.predict());
    float[][] byUser = new float[local.length][];
    for (int v = 0; v < local.length; v++) {
      byUser[graph.userIndex(v)] = local[v];
    }
    return byUser;
  }

  /** Writes the model as a safetensors file from which {@link Inference} can build it again. */
  public void save(Path file) {
    ModelFile.write(file, model, Task.of(TrainableGraph.labels(graph)), metric());
  }

  /** How long the stages of all epochs took, in seconds of this process. */
  public StageSeconds stageSeconds() {
    return trainer.stages(epochSeconds);
  }

  /** Arcs of all batches so far; none where there are no batches. */
  public long sampledArcs() {
    return trainer.sampledArcs();
  }

  /**
   * How long the stages of training took.
   *
   * @param sample drawing batches, perhaps while others were trained on
   * @param fetch gathering the features of their vertices, likewise
   * @param compute forward and backward
   * @param update the optimizer's part
   * @param idle waiting for a batch
   */
  public record StageSeconds(
      double sample, double fetch, double compute, double update, double idle) {}

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
    if (trainer != null) {
      trainer.close();
    }
    if (share != null) {
      share.close();
    }
    workers.close();
    memory.close();
  }
}
