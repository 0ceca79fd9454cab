package dev.heddle.train.loop;

import dev.heddle.nn.program.Program;

/** What one step learns from at one worker. */
public interface TrainStep {
  /** What the step's loss counts in the epoch's; 0 where no worker has anything to learn from. */
  double weight();

  /** Whether this worker has nothing to run: it takes part in sums of gradients all the same. */
  boolean idle();

  /** The model over this step's rows. */
  Program program();

  /** The loss of the program's output, divided by the rows of all workers. */
  Loss loss();
}
