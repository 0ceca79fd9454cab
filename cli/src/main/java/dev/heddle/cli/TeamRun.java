package dev.heddle.cli;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.comm.Group;
import dev.heddle.comm.GroupException;
import dev.heddle.comm.JoinSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import dev.heddle.train.EpochReport;
import dev.heddle.train.Team;
import dev.heddle.train.TrainResult;
import dev.heddle.train.TrainSettings;
import dev.heddle.train.Training;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

  /** Trains with a thread for each worker. */
  int asThreads(int count) {
    try (Graph open = graph.open();
        RunFolder folder = plan.folder()) {
      ChosenPartition chosen = choose(open, folder, count);
      StartedRun first = new StartedRun(open, folder, chosen);
      AtomicInteger exit = new AtomicInteger();
      LocalWorkers.run(
          count,
          workers.group(),
          group -> {
            Team team = new Team(group, chosen.partition());
            if (group.rank() == 0) {
              exit.set(lead(team, first));
            } else {
              follow(team, open);
            }
          });
      return exit.get();
    } catch (GroupException e) {
      throw cause(e);
    }
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
    ChosenPartition chosen;
    PreparedGraph shared;
    try (Graph whole = graph.open();
        RunFolder folder = plan.folder()) {
      chosen = choose(whole, folder, count);
      shared = PreparedGraph.of(graph, whole, scratch);
    }
    try (shared) {
      List<String> told = new ArrayList<>(arguments);
      told.addAll(shared.arguments());
      try (WorkerProcesses others = WorkerProcesses.start(count, told, log)) {
        return join(() -> others.meet(joining), chosen);
      }
    }
  }

  /** Is one of several processes. */
  int join(JoinSettings joining) {
    return join(() -> Group.join(workers.joining().apply(joining)), null);
  }

  /** Meets the others, and trains with them on a partition that the first may have already. */
  private int join(Supplier<Group> meeting, @Nullable ChosenPartition chosen) {
    try (Group group = meeting.get()) {
      workers.are(group.size());
      try (Graph open = graph.open()) {
        return group.rank() == 0 ? first(group, open, chosen) : other(group, open);
      } catch (RuntimeException | Error e) {
        group.fail(e);
        throw e;
      }
    } catch (GroupException e) {
      throw cause(e);
    }
  }

  private int first(Group group, Graph open, @Nullable ChosenPartition chosen) {
    try (RunFolder folder = plan.folder()) {
      ChosenPartition agreed = chosen != null ? chosen : choose(open, folder, group.size());
      int[] partOf = new int[open.vertices()];
      for (int v = 0; v < partOf.length; v++) {
        partOf[v] = agreed.partition().partOf(v);
      }
      Team team = new Team(group, agree(group, partOf));
      forgetWhatWasRead();
      return lead(team, new StartedRun(open, folder, agreed));
    }
  }

  private int other(Group group, Graph open) {
    Team team = new Team(group, agree(group, new int[open.vertices()]));
    forgetWhatWasRead();
    return follow(team, open);
  }

  /**
   * Reading a graph and choosing its parts leaves arrays as long as it, which nothing would press
   * off the heap: training allocates next to nothing there.
   */
  private static void forgetWhatWasRead() {
    System.gc();
  }

  /** Tells everyone the parts that the first worker has chosen. */
  private static Partition agree(Group group, int[] partOf) {
    try (Memory memory = new Memory()) {
      MemorySegment parts = memory.allocateInts(partOf.length).asSlice(0, 4L * partOf.length);
      MemorySegment.copy(partOf, 0, parts, JAVA_INT, 0, partOf.length);
      group.broadcast(0, Kind.CONTROL, parts);
      return Partition.of(group.size(), parts.toArray(JAVA_INT));
    }
  }

  /** The partition of the run from now on, also of one that goes on with it. */
  private ChosenPartition choose(Graph open, RunFolder folder, int parts) {
    Path kept = plan.resumed() ? RunFolder.partition(plan.path(), parts) : null;
    ChosenPartition chosen =
        workers
            .partition()
            .choose(open, parts, plan.settings(), new PartitionOptions.Place(graph.store(), kept));
    folder.write(chosen.partition(), open);
    return chosen;
  }

  private int lead(Team team, StartedRun run) {
    try (Training ready = training(run.graph(), team)) {
      return leader.lead(run, ready);
    }
  }

  private int follow(Team team, Graph open) {
    try (Training ready = training(open, team)) {
      if (plan.resumed()) {
        ready.checkpoints(plan.checkpoints());
        List<EpochReport> _ = ready.resume();
      }
      TrainResult _ = ready.run();
      return ready.stopped() ? TrainCommand.INTERRUPTED : 0;
    }
  }

  private Training training(Graph open, Team team) {
    TrainSettings shared = plan.settings().sharedBy(team.group().size());
    return Training.of(open, plan.model(), shared, team);
  }
}
