package dev.heddle.nn;

import dev.heddle.kernel.ThreadTeam;

/** Moves the parameters it was made for against their gradients. */
public sealed interface Optimizer permits Adam, AdamW, Sgd {
  /** Takes one step. Gradients stay as they are; nothing is allocated. */
  void step(ThreadTeam team, float learningRate);

  /** What it remembers from step to step, for checkpoints. */
  OptimizerState state();
}
