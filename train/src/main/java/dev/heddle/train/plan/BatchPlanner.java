package dev.heddle.train.plan;

import java.util.List;

/** Plans training in batches. */
public final class BatchPlanner implements SplitPlanner {
  @Override
  public String split() {
    return "seeds";
  }

  @Override
  public WorkerPlan plan(int rank) {
    throw new IllegalStateException("not yet");
  }

  @Override
  public List<String> assumptions() {
    return List.of();
  }
}
