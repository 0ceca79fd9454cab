package dev.heddle.train.loop;

import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Step;

/** What one step learns from at one worker. */
public interface TrainStep {
  /** What the step's loss counts in the epoch's; 0 where no worker has anything to learn from. */
  double weight();

  /** Whether this worker has nothing to run: it takes part in sums of gradients all the same. */
  boolean idle();

  /**
   * Forward, loss and backward: adds the gradients of this worker's rows to those of the
   * parameters, which are zero before.
   *
   * @return this worker's share of the loss, which is divided by the rows of all workers
   */
  double run(ThreadTeam team, Step at);
}
