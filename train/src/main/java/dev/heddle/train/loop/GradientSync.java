package dev.heddle.train.loop;

import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.OptimizerState;
import dev.heddle.nn.Parameter;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.settings.Sync;
import java.util.List;

/**
 * Makes the gradients of workers that share parameters one, and has parameters updated by them: all
 * sharers end with the same bits, so that their optimizers stay in step. When a step's update is
 * made, and by which thread, is what kinds of this differ in.
 */
public sealed interface GradientSync extends AutoCloseable permits EveryStep, Racom {
  /** Clips the gradients of {@link #updated} parameters, and updates these. */
  @FunctionalInterface
  interface Update {
    void run(ThreadTeam team, Lane lane, int epoch, int step);
  }

  /** As the knob says; all workers make theirs at the same point. */
  static GradientSync of(Sync sync, ParameterPlacement placement, Worker worker, long seed) {
    return switch (sync) {
      case Sync.EveryStep every -> new EveryStep(placement, every.halfSums(), worker);
      case Sync.Racom racom -> new Racom(placement, racom, worker, seed);
    };
  }

  /** Bytes of a message to another worker, of which there is one in every step. */
  static long messageBytes(List<Parameter> model, Sync.Racom racom) {
    return GradientParcel.bytes(model, racom.codec());
  }

  /** Bytes of memory that models some steps apart take at each of several workers. */
  static long memoryBytes(List<Parameter> model, Sync.Racom racom, int workers) {
    return Racom.memoryBytes(model, racom, workers);
  }

  /** The parameters that optimizers move: those of the model, or others that it is told of. */
  List<Parameter> updated();

  /**
   * Says what there is to be done for a step once its gradients are in.
   *
   * @param state what it remembers from step to step
   */
  void updates(Update update, OptimizerState state);

  /** Begins an epoch of so many steps. */
  void begin(int steps);

  /** Waits until the model's parameters may be read for the next step. */
  void awaitParameters();

  /**
   * Shares the gradients that this worker has found in the model's parameters; all sharers call it,
   * also those who had nothing to learn from.
   *
   * @param step of the epoch
   */
  void share(int epoch, int step);

  /** Ends an epoch: all its updates are made, and in the model's parameters. */
  void end();

  /** How far apart workers were so far; all call it. */
  SyncReport report();

  @Override
  void close();
}
