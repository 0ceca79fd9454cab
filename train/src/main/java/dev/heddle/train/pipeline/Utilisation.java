package dev.heddle.train.pipeline;

import java.util.EnumSet;
import java.util.Set;

/**
 * The part of the time of epochs that a worker's training thread, and the team that it leads, spent
 * computing: gathering inputs, with the first aggregation where it is made there, forward, backward
 * and updates. The rest is waiting, loading batches itself, and handling.
 */
public final class Utilisation {
  private static final Set<Stage> COMPUTING = EnumSet.of(Stage.GATHER, Stage.COMPUTE, Stage.UPDATE);
  private static final Set<Stage> BESIDE_EPOCHS =
      EnumSet.of(Stage.EVALUATE, Stage.CHECKPOINT, Stage.ASSIGN);

  private Utilisation() {}

  /** That of a worker so far, from 0 to 1; 0 before the first epoch. */
  public static double of(WorkerTimes worker) {
    ThreadTimes training = worker.threads().getFirst();
    long computing = 0;
    long all = 0;
    for (Stage stage : Stage.values()) {
      if (COMPUTING.contains(stage)) {
        computing += training.nanos(stage, Time.BUSY);
      }
      if (!BESIDE_EPOCHS.contains(stage)) {
        all += training.nanos(stage) - training.nanos(stage, Time.IDLE);
      }
    }
    return all == 0 ? 0 : (double) computing / all;
  }
}
