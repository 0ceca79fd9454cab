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
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.WeightFileException;
import dev.heddle.train.CheckpointException;
import dev.heddle.train.Checkpoints;
import dev.heddle.train.EpochReport;
import dev.heddle.train.Scores;
import dev.heddle.train.Team;
import dev.heddle.train.TrainResult;
import dev.heddle.train.TrainSettings;
import dev.heddle.train.Training;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code heddle train}: from a graph to a folder with a trained model in it. */
@Command(
    name = "train",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Trains a model on a graph and scores it.",
      "Without arguments: GraphSAGE on WordNet 3.1, with settings that suit it."
    },
    footer = {
      "",
      "Examples:",
      "  heddle train",
      "  heddle train --graph cora --row-normalise --model gcn --hidden 16 --weight-decay 5e-4",
      "  heddle train --batch 1024 --fanout 15,10",
      "  heddle train --workers 4 --processes --link 1Gbit",
      "  heddle train --config run.yaml --seed 1",
      "  heddle train --resume runs/20260101-120000-wordnet-sage"
    })
final class TrainCommand implements Callable<Integer> {
  /** What a shell says of a process that Ctrl-C ended. */
  private static final int INTERRUPTED = 130;

  @Spec private @Nullable CommandSpec spec;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec worker;

  @Mixin private GraphOptions graph = new GraphOptions();
  @Mixin private ModelOptions model = new ModelOptions();
  @Mixin private TrainingOptions training = new TrainingOptions();
  @Mixin private BatchOptions batches = new BatchOptions();
  @Mixin private WorkerOptions workers = new WorkerOptions();
  @Mixin private HaloOptions halo = new HaloOptions();
  @Mixin private FetchOptions fetch = new FetchOptions();
  @Mixin private RunOptions run = new RunOptions();

  @Option(
      names = "--baselines",
      negatable = true,
      fallbackValue = "true",
      description =
          "Score what must be beaten too: an MLP, label propagation, the majority class"
              + " (default: only without other arguments).")
  private @Nullable Boolean baselines;

  @SuppressWarnings("UnusedVariable") // TrainDefaults looks for it in the arguments.
  @Option(
      names = "--config",
      paramLabel = "<run.yaml>",
      description = "File that says what flags say; flags win. heddle init writes one.")
  private @Nullable Path config;

  @Option(
      names = "--resume",
      paramLabel = "<folder>",
      description = "Go on with the run in this folder from its last checkpoint.")
  private @Nullable Path resume;

  @Option(names = "--json", description = "Print one JSON object as the last line of the output.")
  private boolean json;

  @Override
  public Integer call() {
    ModelSpec described = model.spec();
    TrainSettings settings = settings(described);
    Path path = path(described);
    int count = workers.count();
    halo.requireSeveral(count);
    fetch.requireSeveral(count);
    if (count > 1 && workers.processes()) {
      return withProcesses(count);
    }
    try (Graph open = graph.open();
        RunFolder folder = resume == null ? RunFolder.create(path) : RunFolder.open(path)) {
      Run starting = new Run(open, described, settings, folder, path);
      if (count == 1) {
        try (Training ready = Training.of(open, described, settings)) {
          return lead(starting, ready);
        }
      }
      return together(starting, workers.partition(open, count, settings.threads()));
    }
  }

  private TrainSettings settings(ModelSpec described) {
    return fetch.apply(halo.apply(batches.applied(training.settings(run, graph), described)));
  }

  /** What a run begins with; only the first worker has the folder. */
  private record Run(
      Graph graph,
      ModelSpec described,
      TrainSettings settings,
      @Nullable RunFolder folder,
      Path path) {
    RunFolder ownFolder() {
      return Objects.requireNonNull(folder);
    }
  }

  /** Trains with a thread for each worker; the first does what one alone would do. */
  private int together(Run starting, Partition partition) {
    AtomicInteger exit = new AtomicInteger();
    try {
      LocalWorkers.run(
          partition.parts(),
          workers.group(),
          group -> {
            int ended = oneOf(new Team(group, partition), starting);
            if (group.rank() == 0) {
              exit.set(ended);
            }
          });
    } catch (GroupException e) {
      throw first(e);
    }
    return exit.get();
  }

  /** What stopped everyone is told as if it had happened to one alone. */
  private static RuntimeException first(GroupException e) {
    Throwable first = e;
    while (first instanceof GroupException && first.getCause() != null) {
      first = first.getCause();
    }
    return first instanceof RuntimeException known ? known : e;
  }

  /** Starts the other workers, and is the first itself. */
  private int withProcesses(int count) {
    UnaryOperator<JoinSettings> settings = workers.joining();
    List<String> told = new ArrayList<>(arguments());
    try (PreparedGraph prepared = PreparedGraph.of(graph, run.scratch())) {
      told.addAll(prepared.arguments());
      return withProcesses(count, told, settings);
    }
  }

  private int withProcesses(int count, List<String> told, UnaryOperator<JoinSettings> settings) {
    try (WorkerProcesses others = WorkerProcesses.start(count, told, err())) {
      return join(() -> others.meet(settings));
    }
  }

  /** Trains as one of several processes. */
  int join(JoinSettings joining) {
    return join(() -> Group.join(workers.joining().apply(joining)));
  }

  private int join(Supplier<Group> meeting) {
    try (Group group = meeting.get()) {
      workers.are(group.size());
      try {
        return joined(group);
      } catch (RuntimeException | Error e) {
        group.fail(e);
        throw e;
      }
    } catch (GroupException e) {
      throw first(e);
    }
  }

  private int joined(Group group) {
    ModelSpec described = model.spec();
    TrainSettings settings = settings(described);
    try (Graph open = graph.open()) {
      Team team = new Team(group, agree(group, open, settings.threads()));
      if (group.rank() > 0) {
        Path path = resume == null ? Path.of("") : resume;
        return oneOf(team, new Run(open, described, settings, null, path));
      }
      Path path = path(described);
      try (RunFolder folder = resume == null ? RunFolder.create(path) : RunFolder.open(path)) {
        return oneOf(team, new Run(open, described, settings, folder, path));
      }
    }
  }

  /** The partition that the first worker makes. */
  private Partition agree(Group group, Graph open, int threads) {
    int n = open.vertices();
    try (Memory memory = new Memory()) {
      MemorySegment parts = memory.allocateInts(n).asSlice(0, 4L * n);
      if (group.rank() == 0) {
        Partition made = workers.partition(open, group.size(), threads);
        for (int v = 0; v < n; v++) {
          parts.setAtIndex(JAVA_INT, v, made.partOf(v));
        }
      }
      group.broadcast(0, Kind.CONTROL, parts);
      return Partition.of(group.size(), parts.toArray(JAVA_INT));
    }
  }

  private int oneOf(Team team, Run starting) {
    TrainSettings shared = starting.settings.sharedBy(team.group().size());
    try (Training ready = Training.of(starting.graph, starting.described, shared, team)) {
      if (team.group().rank() == 0) {
        return lead(starting, ready);
      }
      if (resume != null) {
        ready.checkpoints(checkpoints(starting.path));
        List<EpochReport> _ = ready.resume();
      }
      TrainResult _ = ready.run();
      return ready.stopped() ? INTERRUPTED : 0;
    }
  }

  private int lead(Run starting, Training ready) {
    ready.checkpoints(checkpoints(starting.path));
    List<EpochReport> before = resume == null ? List.of() : ready.resume();
    err().println(starting.graph + ", " + starting.described.kind() + " in " + starting.path);
    if (resume != null) {
      err().println("going on after epoch " + before.size());
    }
    starting
        .ownFolder()
        .write(RunFolder.CONFIG, RunFile.resolved(spec(), "# heddle train --config\n"));
    starting.ownFolder().write("environment.json", Environment.json(arguments()));
    TrainResult result = train(ready, starting.path, before);
    if (ready.stopped()) {
      return INTERRUPTED;
    }
    ready.save(starting.ownFolder().model());
    if (run.save() != null) {
      ready.save(run.save());
    }
    String summary = Summary.json(starting.graph, ready, starting.settings, result);
    starting.ownFolder().write("summary.json", summary + "\n");
    Map<String, Scores> others =
        wantsBaselines()
            ? BaselineRuns.of(starting.graph, starting.described, starting.settings)
            : Map.of();
    new Report(out(), starting.path).print(ready, result, others);
    if (json) {
      out().println(summary);
    }
    return 0;
  }

  GraphOptions graph() {
    return graph;
  }

  /** Trains; when asked to end, says how to go on before the process may. */
  private TrainResult train(Training ready, Path path, List<EpochReport> before) {
    try (Progress progress = new Progress(err(), ready.metric().name(), training.epochs());
        MetricsLog log = new MetricsLog(RunFolder.metrics(path), before);
        Interruption _ = new Interruption(ready)) {
      ready.onEpoch(report -> {
        log.add(report);
        progress.show(report);
      });
      TrainResult result = ready.run();
      progress.end();
      if (ready.stopped()) {
        err().println("stopped after epoch " + result.epochs().size() + "; go on with:");
        err().println("  heddle train --resume " + path);
      }
      return result;
    } catch (WeightFileException | CheckpointException | UncheckedIOException e) {
      // The disk is full or gone. What was written before is whole.
      throw new IllegalStateException(
          e.getMessage() + "; mend that and go on with: heddle train --resume " + path, e);
    }
  }

  private Path path(ModelSpec described) {
    if (resume != null) {
      return resume;
    }
    Path out = run.out();
    return out != null ? out : RunFolder.named(graph.name() + "-" + described.kind());
  }

  private Checkpoints checkpoints(Path path) {
    return new Checkpoints(
        RunFolder.checkpoints(path),
        run.checkpointEvery(),
        run.keep(),
        warning -> err().println("heddle: " + warning));
  }

  private boolean wantsBaselines() {
    return baselines != null ? baselines : arguments().size() == 1;
  }

  private List<String> arguments() {
    return spec().commandLine().getParent().getParseResult().originalArgs();
  }

  private PrintWriter out() {
    return spec().commandLine().getOut();
  }

  private PrintWriter err() {
    return spec().commandLine().getErr();
  }

  private CommandSpec spec() {
    CommandSpec own = worker != null ? worker : spec;
    if (own == null) {
      throw new IllegalStateException("not started by picocli");
    }
    return own;
  }
}
