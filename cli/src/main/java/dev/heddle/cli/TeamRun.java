package dev.heddle.cli;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.comm.Group;
import dev.heddle.comm.GroupException;
import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.JoinSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import dev.heddle.train.Training;
import dev.heddle.train.plan.DryRun;
import dev.heddle.train.plan.StrategyPlan;
import dev.heddle.train.run.EpochReport;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.TrainSettings;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A run of several workers: threads of this process, processes that this one starts, or processes
 * of which this is one. The first worker chooses the partition, and does all that one alone would
 * do; the others train and print nothing.
 */
final class TeamRun {
  private final RunPlan plan;
  private final GraphOptions graph;
  private final WorkerOptions workers;
  private final Leader leader;

  /** What the first worker does from the beginning to the end; returns the exit code. */
  interface Leader {
    int lead(StartedRun run, Training ready);
  }

  TeamRun(RunPlan plan, GraphOptions graph, WorkerOptions workers, Leader leader) {
    this.plan = plan;
    this.graph = graph;
    this.workers = workers;
    this.leader = leader;
  }

  /** Trains with a thread for each worker, this one where there is no other. */
  int asThreads(int count) {
    try (Memory budget = budget(1);
        Graph open = graph.open(budget);
        RunFolder folder = plan.folder()) {
      ChosenPartition chosen = parts(count) == 1 ? null : choose(open, folder, parts(count));
      Partition owners = chosen == null ? Partition.whole(open.vertices()) : chosen.partition();
      StartedRun run = new StartedRun(open, folder, chosen, budget);
      AtomicInteger exit = new AtomicInteger();
      LocalWorkers.run(
          count,
          workers.group(),
          budget,
          group -> {
            if (group.rank() == 0) {
              exit.set(lead(group, owners, run));
            } else {
              int _ = follow(group, owners, open, budget);
            }
          });
      return exit.get();
    } catch (GroupException e) {
      throw cause(e);
    }
  }

  /** What training would take and send, as threads find out. Nothing is written. */
  PlanReport planned(int count) {
    try (Memory budget = budget(1);
        Graph open = graph.open(budget)) {
      TrainSettings shared = plan.settings().sharedBy(count);
      long most = Math.min(shared.memoryLimit(), budget.available() / count);
      int parts = parts(count);
      Partition owners =
          parts == 1 ? Partition.whole(open.vertices()) : chosen(open, parts).partition();
      List<StrategyPlan> plans = new CopyOnWriteArrayList<>();
      // Links are not imitated: nobody waits for what is only looked at.
      LocalWorkers.run(
          count,
          GroupSettings.DEFAULT,
          budget,
          group -> plans.add(DryRun.of(budget, open, plan.model(), shared, group, owners)));
      return new PlanReport(plans.getFirst(), shared, most);
    } catch (GroupException e) {
      throw cause(e);
    }
  }

  /** What one of so many processes may take. */
  private Memory budget(int processes) {
    return Memory.limitedTo(plan.settings().memoryLimit() / processes);
  }

  /** What stopped everyone is told as if it had happened to one alone. */
  private static RuntimeException cause(GroupException e) {
    Throwable first = e;
    while (first instanceof GroupException && first.getCause() != null) {
      first = first.getCause();
    }
    return first instanceof RuntimeException known ? known : e;
  }

  /**
   * Starts the other workers as processes, and is the first itself.
   *
   * @param arguments of this process, which the others are told too
   * @param scratch where there is room for a copy of the graph; null for the system's place
   */
  int asProcesses(int count, List<String> arguments, @Nullable Path scratch, PrintWriter log) {
    // Before anything is started, so that one line says what is wrong.
    workers.group().links().check(count);
    UnaryOperator<JoinSettings> joining = workers.joining();
    @Nullable ChosenPartition chosen;
    PreparedGraph shared;
    try (Memory budget = budget(1);
        Graph whole = graph.open(budget);
        RunFolder folder = plan.folder()) {
      chosen = parts(count) == 1 ? null : choose(whole, folder, parts(count));
      shared = PreparedGraph.of(graph, whole, scratch);
    }
    try (shared) {
      List<String> told = new ArrayList<>(arguments);
      told.addAll(shared.arguments());
      try (Memory budget = budget(count);
          WorkerProcesses others = WorkerProcesses.start(count, told, log)) {
        return join(budget, () -> others.meet(joining, budget), chosen);
      }
    }
  }

  /** Is one of several processes. */
  int join(JoinSettings joining) {
    try (Memory budget = budget(joining.world())) {
      return join(budget, () -> Group.join(workers.joining().apply(joining), budget), null);
    }
  }

  /** Meets the others, and trains with them on a partition that the first may have already. */
  private int join(Memory budget, Supplier<Group> meeting, @Nullable ChosenPartition chosen) {
    try (Group group = meeting.get()) {
      workers.are(group.size());
      try (Graph open = graph.open(budget)) {
        return group.rank() == 0 ? first(group, open, budget, chosen) : other(group, open, budget);
      } catch (RuntimeException | Error e) {
        group.fail(e);
        throw e;
      }
    } catch (GroupException e) {
      throw cause(e);
    }
  }

  private int first(Group group, Graph open, Memory budget, @Nullable ChosenPartition chosen) {
    try (RunFolder folder = plan.folder()) {
      int parts = parts(group.size());
      if (parts == 1) {
        forgetWhatWasRead();
        StartedRun run = new StartedRun(open, folder, null, budget);
        return lead(group, Partition.whole(open.vertices()), run);
      }
      ChosenPartition agreed = chosen != null ? chosen : choose(open, folder, parts);
      int[] partOf = new int[open.vertices()];
      for (int v = 0; v < partOf.length; v++) {
        partOf[v] = agreed.partition().partOf(v);
      }
      Partition owners = agree(group, parts, partOf, budget);
      forgetWhatWasRead();
      return lead(group, owners, new StartedRun(open, folder, agreed, budget));
    }
  }

  private int other(Group group, Graph open, Memory budget) {
    int parts = parts(group.size());
    Partition owners =
        parts == 1
            ? Partition.whole(open.vertices())
            : agree(group, parts, new int[open.vertices()], budget);
    forgetWhatWasRead();
    return follow(group, owners, open, budget);
  }

  /**
   * Reading a graph and choosing its parts leaves arrays as long as it, which nothing would press
   * off the heap: training allocates next to nothing there.
   */
  private static void forgetWhatWasRead() {
    System.gc();
  }

  /** Tells everyone the parts that the first worker has chosen. */
  private static Partition agree(Group group, int count, int[] partOf, Memory budget) {
    try (Memory scratch = budget.child()) {
      MemorySegment parts = scratch.allocateInts(partOf.length).asSlice(0, 4L * partOf.length);
      MemorySegment.copy(partOf, 0, parts, JAVA_INT, 0, partOf.length);
      group.broadcast(0, Kind.CONTROL, parts);
      return Partition.of(count, parts.toArray(JAVA_INT));
    }
  }

  /** Parts of the graph: as many as workers, or as share a stage where layers are cut. */
  private int parts(int count) {
    TrainSettings settings = plan.settings();
    Knobs knobs = settings.knobs().among(count, settings.batches() != null);
    return knobs.split().cutsLayers() ? knobs.layers().ways() : count;
  }

  /** The partition of the run from now on, also of one that goes on with it. */
  private ChosenPartition choose(Graph open, RunFolder folder, int parts) {
    ChosenPartition chosen = chosen(open, parts);
    folder.write(chosen.partition(), open);
    return chosen;
  }

  private ChosenPartition chosen(Graph open, int parts) {
    Path kept = plan.resumed() ? RunFolder.partition(plan.path(), parts) : null;
    return workers
        .partition()
        .choose(open, parts, plan.model(), plan.settings(), graph.store(), kept);
  }

  private int lead(Group group, Partition owners, StartedRun run) {
    try (Training ready = training(group, owners, run.graph(), run.budget());
        LiveFile _ = watched(ready)) {
      return leader.lead(run, ready);
    }
  }

  private int follow(Group group, Partition owners, Graph open, Memory budget) {
    try (Training ready = training(group, owners, open, budget);
        LiveFile _ = watched(ready)) {
      if (plan.resumed()) {
        ready.checkpoints(plan.checkpoints());
        List<EpochReport> _ = ready.resume();
      }
      TrainResult _ = ready.run();
      return ready.stopped() ? TrainCommand.INTERRUPTED : 0;
    }
  }

  private @Nullable LiveFile watched(Training ready) {
    return plan.watched() ? LiveFile.of(ready, plan.path()) : null;
  }

  private Training training(Group group, Partition owners, Graph open, Memory budget) {
    TrainSettings shared = plan.settings().sharedBy(group.size());
    Training ready = Training.within(budget, open, plan.model(), shared, group, owners);
    return plan.trace() == null ? ready : ready.trace();
  }
}
