package dev.heddle.nn.program;

import dev.heddle.kernel.Draws;

/**
 * Which step of a run is being computed. It decides every random draw: the same step gives the same
 * dropout, whoever computes it and however often.
 */
public final class Step {
  private final long seed;
  private long epoch;
  private long batch;
  private boolean training;

  public Step(long seed) {
    this.seed = seed;
  }

  /** A training step: dropout is applied and what backward needs is kept. */
  public Step train(long atEpoch, long atBatch) {
    epoch = atEpoch;
    batch = atBatch;
    training = true;
    return this;
  }

  /** An evaluation: no dropout, running statistics instead of the batch's. */
  public Step evaluate() {
    training = false;
    return this;
  }

  public boolean training() {
    return training;
  }

  /** The key of an operation's draws in this step. */
  public long key(Draws.Domain domain, int operation) {
    return Draws.key(domain, seed, epoch, batch, operation);
  }
}
