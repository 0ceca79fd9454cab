package dev.heddle.train;

import dev.heddle.kernel.Matrix;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Optimizer;

/** Takes a model through epochs. */
sealed interface Trainer extends AutoCloseable
    permits FullGraphTrainer, MiniBatchTrainer, SeedParallelTrainer {
  /** Epochs up to this one will follow one another: work may be done ahead of them. */
  default void expect(int lastEpoch) {}

  /**
   * One epoch.
   *
   * @param epoch counted from 1
   * @return the loss per training vertex, before the updates it led to
   */
  double epoch(int epoch);

  /** The metric on all three parts of the split, with the parameters as they are. */
  Scores evaluate();

  /** The model's outputs for all vertices; overwritten by the next step or evaluation. */
  Matrix predict();

  Optimizer optimizer();

  Metric metric();

  /** How long the stages took in epochs of so many seconds altogether. */
  Training.StageSeconds stages(double epochSeconds);

  /** How batches will be fetched from other workers. */
  default FetchPlan fetchPlan() {
    return FetchPlan.NOTHING;
  }

  /** What was fetched from other workers so far; all of them call it. */
  default FetchReport fetched() {
    return FetchReport.NOTHING;
  }

  /** Arcs of all batches so far. */
  default long sampledArcs() {
    return 0;
  }

  @Override
  default void close() {}
}
