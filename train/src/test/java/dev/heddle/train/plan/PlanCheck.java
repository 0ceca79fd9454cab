package dev.heddle.train.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.Group;
import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.comm.Sent;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.Training;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * Trains, and compares what was planned with what happened: bytes and messages exactly, memory to
 * three percent.
 *
 * @param evaluations how many the settings make of their epochs
 */
record PlanCheck(Graph graph, ModelSpec spec, TrainSettings settings, int evaluations) {
  private static final double MEMORY_TOLERANCE = 0.03;

  /** Trains by so many workers; returns the plan. */
  StrategyPlan check(int workers, Partition owners) {
    StrategyPlan[] plans = new StrategyPlan[workers];
    Sent[] sent = new Sent[workers];
    Sent[] control = new Sent[workers];
    long peak;
    try (Memory root = new Memory()) {
      LocalWorkers.run(
          workers,
          GroupSettings.DEFAULT,
          root,
          group -> {
            try (Training training = Training.within(root, graph, spec, settings, group, owners)) {
              plans[group.rank()] = training.plan();
              control[group.rank()] = run(training, group);
              sent[group.rank()] = Sent.by(group.traffic());
            }
          });
      peak = root.peakBytes();
    }
    StrategyPlan plan = plans[0];
    int epochs = settings.epochs();
    for (int rank = 0; rank < workers; rank++) {
      assertThat(plans[rank]).isEqualTo(plan);
      WorkerPlan own = plan.workers().get(rank);
      Sent whole =
          own.once().plus(own.epoch().times(epochs)).plus(own.evaluation().times(evaluations));
      for (Kind kind : Kind.values()) {
        if (kind != Kind.CONTROL) {
          assertThat(sent[rank].of(kind))
              .as("%s of worker %d", kind, rank)
              .isEqualTo(whole.of(kind));
        }
      }
      Sent agreed = own.epoch().times(epochs - 1L).plus(own.evaluation().times(evaluations));
      assertThat(control[rank].of(Kind.CONTROL)).isEqualTo(agreed.of(Kind.CONTROL));
    }
    long planned = plan.workers().stream().mapToLong(w -> w.memory().bytes()).sum();
    assertThat((double) planned)
        .as("memory %s", plan.workers().stream().map(WorkerPlan::memory).toList())
        .isCloseTo((double) peak, within(MEMORY_TOLERANCE * peak));
    return plan;
  }

  /** Trains; returns what was sent from the end of the first epoch to that of the last. */
  private static Sent run(Training training, Group group) {
    List<Sent> after = new ArrayList<>();
    TrainResult _ = training.onEpoch(_ -> after.add(Sent.by(group.traffic()))).run();
    return after.getLast().plus(after.getFirst().times(-1));
  }
}
