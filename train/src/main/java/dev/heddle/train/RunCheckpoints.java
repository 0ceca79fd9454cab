package dev.heddle.train;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.Model;
import dev.heddle.nn.OptimizerState;
import dev.heddle.train.layers.AgreedCheckpoints;
import dev.heddle.train.layers.LayerPipeline;
import dev.heddle.train.loop.ParameterPlacement;
import dev.heddle.train.loop.TrainLoop;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.run.BestParameters;
import dev.heddle.train.run.Checkpoint;
import dev.heddle.train.run.Checkpoints;
import dev.heddle.train.run.History;
import dev.heddle.train.run.Identity;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints of a run: the first worker writes them, of what all workers have; where these cut
 * the model by its layers, each puts its rows of history beside them.
 */
final class RunCheckpoints {
  private final Worker worker;
  private final Graph graph;
  private final Model model;
  private final TrainSettings settings;
  private final ParameterPlacement placement;
  private final TrainLoop loop;
  private final BestParameters best;
  private final History history;
  private final @Nullable LayerPipeline layers;
  private @Nullable Checkpoints folder;
  private @Nullable Identity identity;

  RunCheckpoints(
      Worker worker,
      Graph graph,
      Model model,
      TrainSettings settings,
      ParameterPlacement placement,
      TrainLoop loop,
      BestParameters best,
      History history,
      @Nullable LayerPipeline layers) {
    this.worker = worker;
    this.graph = graph;
    this.model = model;
    this.settings = settings;
    this.placement = placement;
    this.loop = loop;
    this.best = best;
    this.history = history;
    this.layers = layers;
  }

  /** Writes into a folder from now on. */
  void into(Checkpoints value) {
    folder = value;
  }

  /** Makes what the first worker says of checkpoints known to all, who call it before they run. */
  void agree() {
    if (layers != null) {
      folder = AgreedCheckpoints.of(worker.group(), folder, worker.memory());
    }
  }

  /** Goes on from the newest of the folder's checkpoints. */
  void restore() {
    Checkpoints from = folder;
    if (from == null) {
      throw new IllegalStateException("there is no folder of checkpoints to resume from");
    }
    Path _ = from.restore(checkpoint(loop.optimizer().state()), history);
    if (layers != null
        && history.epochs() > 0
        && !layers.restoreHistory(from.folder(), history.epochs())
        && placement.writes()) {
      from.warnings()
          .accept(
              "the rows of history are not beside the checkpoint for these ways and chunks; they"
                  + " are made anew, and what comes has other bits than without a pause");
    }
  }

  /** Whether one is to be written after an epoch. */
  boolean due(int epoch, boolean last) {
    return folder != null && (last || folder.due(epoch));
  }

  /** Writes one; all workers call it. */
  void write(int epoch) {
    Checkpoints into = folder;
    if (into == null) {
      return;
    }
    if (layers != null) {
      layers.saveHistory(into.folder(), epoch);
    }
    placement.gather(model.parameters().state());
    placement.gather(best.copies());
    if (placement.isReplicated()) {
      if (placement.writes()) {
        into.write(checkpoint(loop.optimizer().state()), history);
      }
      return;
    }
    try (Memory scratch = worker.memory().child()) {
      OptimizerState all =
          settings.optimizer().create(scratch, model.parameters().all(), settings).state();
      all.take(loop.optimizer().state());
      placement.gather(all.matrices());
      if (placement.writes()) {
        into.write(checkpoint(all), history);
      }
    }
  }

  private Checkpoint checkpoint(OptimizerState optimizer) {
    if (identity == null) {
      identity = Identity.of(graph, model, settings);
    }
    return new Checkpoint(model.parameters().state(), best, optimizer, identity);
  }
}
