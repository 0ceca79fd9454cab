package dev.heddle.train.plan;

import dev.heddle.train.batch.BatchWork;
import java.util.Comparator;
import java.util.List;

/**
 * A depth at which owners may take over, and what a dry run of sampling counted for it.
 *
 * @param batches that were sampled
 * @param work of all workers, for all of these
 * @param workers what each does in a step
 */
public record DepthCandidate(int depth, int batches, BatchWork work, List<StepCounts> workers) {
  public DepthCandidate {
    workers = List.copyOf(workers);
  }

  /** A step of the worker that takes longest, for whom all others wait. */
  StepSeconds seconds(StepRates rates, boolean ahead) {
    return workers.stream()
        .map(counts -> rates.seconds(counts, workers.size() - 1, ahead))
        .max(Comparator.comparingDouble(StepSeconds::total))
        .orElseThrow();
  }
}
