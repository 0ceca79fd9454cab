package dev.heddle.train.plan;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Sent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a run will take and send: bytes of memory at each worker, bytes and messages of each kind in
 * an epoch and in an evaluation. Nothing but numbers, the same at all workers.
 *
 * @param split how the work is split among workers
 * @param workers by rank
 * @param assumptions what is not counted but taken to be so, a sentence each
 */
public record StrategyPlan(String split, List<WorkerPlan> workers, List<String> assumptions) {
  /** Evaluations are at most one of so many parts of what workers send, where nobody says more. */
  private static final int EVALUATED_PART = 10;

  /** One of so many parts of what is planned may not be needed in the end. */
  private static final int ROOM = 50;

  public StrategyPlan {
    workers = List.copyOf(workers);
    assumptions = List.copyOf(assumptions);
  }

  /** The plan of a split, made where everything is known of all workers. */
  public static StrategyPlan of(SplitPlanner planner, int workers) {
    List<WorkerPlan> all = IntStream.range(0, workers).mapToObj(planner::plan).toList();
    return new StrategyPlan(planner.split(), all, planner.assumptions());
  }

  /** The plan of a split to which each worker adds its own part; all of them call it. */
  public static StrategyPlan agreed(SplitPlanner planner, Group group) {
    long[] all = new long[group.size() * WorkerPlan.length()];
    planner.plan(group.rank()).toLongs(all, group.rank() * WorkerPlan.length());
    group.sum(all);
    List<WorkerPlan> workers = new ArrayList<>();
    for (int rank = 0; rank < group.size(); rank++) {
      workers.add(WorkerPlan.of(all, rank * WorkerPlan.length()));
    }
    return new StrategyPlan(planner.split(), workers, planner.assumptions());
  }

  /** What all workers together send in the whole run for what stays as it is. */
  public Sent once() {
    return sum(WorkerPlan::once);
  }

  /** What all workers together send in an epoch of training. */
  public Sent epoch() {
    return sum(WorkerPlan::epoch);
  }

  /** What all workers together send in an evaluation. */
  public Sent evaluation() {
    return sum(WorkerPlan::evaluation);
  }

  private Sent sum(Function<WorkerPlan, Sent> part) {
    return workers.stream().map(part).reduce(Sent.NOTHING, Sent::plus);
  }

  /** What the worker that needs most memory takes. */
  public MemoryNeed largest() {
    return workers.stream()
        .map(WorkerPlan::memory)
        .reduce((a, b) -> b.bytes() > a.bytes() ? b : a)
        .orElse(MemoryNeed.NOTHING);
  }

  /**
   * Refuses to train where a worker needs more memory than it may take.
   *
   * @param most bytes that it may take
   */
  public void requireFits(int rank, long most) {
    String refusal = refusal(workers.get(rank).memory(), most);
    if (refusal != null) {
      throw new IllegalArgumentException(refusal);
    }
  }

  /** What to say of a worker that may take so many bytes at most; null where that is enough. */
  public static @Nullable String refusal(MemoryNeed memory, long most) {
    // A plan that is a little too large is no reason to refuse what fits.
    if (memory.bytes() - memory.bytes() / ROOM <= most) {
      return null;
    }
    Purpose purpose = memory.most();
    return String.format(
        Locale.ROOT,
        "training needs %,.1f MB of memory or more, but may take %,.1f MB; most of it, %,.1f MB, is"
            + " for %s: try %s, or set --memory",
        memory.bytes() / 1e6,
        most / 1e6,
        memory.of(purpose) / 1e6,
        purpose.label(),
        purpose.help());
  }

  /**
   * Epochs from one evaluation to the next where nobody says how many. Several workers send rows as
   * they are to evaluate, beside which what a codec or a macrobatch saves in training would be
   * lost: they evaluate so seldom that this is at most a tenth of the rows that they send.
   */
  public int seldom() {
    long evaluation = evaluation().of(Kind.EVALUATION).bytes();
    Sent epoch = epoch();
    long training =
        epoch.of(Kind.HALO).bytes()
            + epoch.of(Kind.FEATURE).bytes()
            + epoch.of(Kind.BOUNDARY).bytes();
    return evaluation == 0
        ? 1
        : Math.clamp(
            Math.ceilDiv((EVALUATED_PART - 1) * evaluation, Math.max(1, training)),
            1,
            Integer.MAX_VALUE);
  }
}
