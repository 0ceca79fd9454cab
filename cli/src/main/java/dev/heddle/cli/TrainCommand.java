package dev.heddle.cli;

import dev.heddle.cli.ui.PageServer;
import dev.heddle.cli.ui.RunControl;
import dev.heddle.comm.JoinSettings;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.WeightFileException;
import dev.heddle.train.Training;
import dev.heddle.train.layers.LayerDivision;
import dev.heddle.train.plan.DepthChoice;
import dev.heddle.train.run.CheckpointException;
import dev.heddle.train.run.Checkpoints;
import dev.heddle.train.run.EpochReport;
import dev.heddle.train.run.Scores;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.Compatibility;
import dev.heddle.train.settings.TrainSettings;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
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
      "  heddle train --graph cora --row-normalise --hidden 16 --weight-decay 5e-4",
      "  heddle train --preset adaqp --link 1Gbit",
      "  heddle train --resume runs/20260101-120000-wordnet-sage"
    })
final class TrainCommand implements Callable<Integer> {
  /** What a shell says of a process that Ctrl-C ended. */
  static final int INTERRUPTED = 130;

  @Spec private @Nullable CommandSpec spec;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec worker;

  @Mixin private GraphOptions graph = new GraphOptions();
  @Mixin private ModelOptions model = new ModelOptions();
  @Mixin private TrainingOptions training = new TrainingOptions();
  @Mixin private BatchOptions batches = new BatchOptions();
  @Mixin private WorkerOptions workers = new WorkerOptions();
  @Mixin private KnobOptions knobs = new KnobOptions();
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
      description = {"File that says what flags say; flags win.", "heddle init writes one."})
  private @Nullable Path config;

  @Option(
      names = "--resume",
      paramLabel = "<folder>",
      description = "Go on with the run in this folder.")
  private @Nullable Path resume;

  @SuppressWarnings("UnusedVariable") // TrainHelp looks for it.
  @Option(names = "--help-all", description = "Show all options and exit.")
  private boolean helpAll;

  @Option(names = "--json", description = "Print one JSON object as the last line of output.")
  private boolean json;

  @Option(
      names = "--dry-run",
      description =
          "Print how much memory training would take and what workers would send each other; do"
              + " nothing else.")
  private boolean dryRun;

  @Override
  public Integer call() {
    int count = workers.count();
    RunPlan plan = plan(count, workers.processes());
    TeamRun team = new TeamRun(plan, graph, workers, leader(plan));
    if (dryRun) {
      team.planned(count).print(out(), json);
      return 0;
    }
    return count > 1 && workers.processes()
        ? team.asProcesses(count, arguments(), run.scratch(), err())
        : team.asThreads(count);
  }

  /** Trains as one of several processes. */
  int join(JoinSettings joining) {
    RunPlan plan = plan(joining.world(), true);
    return new TeamRun(plan, graph, workers, leader(plan)).join(joining);
  }

  private TeamRun.Leader leader(RunPlan plan) {
    return (started, ready) -> lead(plan, started, ready);
  }

  private RunPlan plan(int count, boolean processes) {
    ModelSpec described = model.spec();
    TrainSettings settings = settings(described, count);
    new OptionRules(spec(), resume != null).check(count, processes);
    Compatibility.check(settings, described, count, /* features= */ null);
    workers.partition().check(settings.knobs());
    Path path = path(described);
    return new RunPlan(
        described, settings, path, resume != null, checkpoints(path), run.trace(), run.ui());
  }

  private TrainSettings settings(ModelSpec described, int count) {
    TrainSettings settings = batches.applied(training.settings(run, graph), described);
    return settings.withKnobs(knobs.settled(settings.epochs(), count, graph.mapped()));
  }

  private int lead(RunPlan plan, StartedRun started, Training ready) {
    if (plan.trace() != null) {
      plan.trace().check();
    }
    ready.checkpoints(plan.checkpoints());
    List<EpochReport> before = plan.resumed() ? ready.resume() : List.of();
    RunFolder folder = started.folder();
    if (!filledIn().isEmpty()) {
      err().println("preset " + knobs.preset() + ": " + PresetNeeds.line(filledIn()));
    }
    err().println(started.graph() + ", " + plan.model().kind() + " in " + plan.path());
    ChosenPartition partition = started.partition();
    if (partition != null) {
      err().println(partition.line());
    }
    long most = plan.settings().memoryLimit();
    new PlanReport(ready.plan(), plan.settings(), most).lines().forEach(err()::println);
    LayerDivision division = ready.division();
    if (division != null) {
      err().println(division.line());
      knobs.keepCosts(division);
    }
    DepthChoice depth = ready.depthChoice();
    if (depth != null) {
      knobs.settleDepth(ready.knobs());
      err().println(depth.line());
    }
    ready.warnings().forEach(warning -> err().println("heddle: " + warning));
    if (plan.resumed()) {
      err().println("going on after epoch " + before.size());
    }
    if (training.resolveEvaluateEvery(ready.evaluateEvery()) && ready.workers() > 1) {
      err()
          .println(
              "scores every "
                  + ready.evaluateEvery()
                  + " epochs and after the last, so that evaluations are at most a tenth of what"
                  + " workers send (--evaluate-every)");
    }
    folder.write(RunFolder.CONFIG, RunFile.resolved(spec(), "# heddle train --config\n"));
    folder.write("environment.json", Environment.json(arguments()));
    try (PageServer _ = run.ui() ? page(plan.path(), ready) : null) {
      return finish(plan, started, ready, before);
    }
  }

  /** Trains, and writes and says what that came to. */
  private int finish(RunPlan plan, StartedRun started, Training ready, List<EpochReport> before) {
    RunFolder folder = started.folder();
    TrainResult result = train(ready, plan.path(), before);
    if (plan.trace() != null) {
      plan.trace().write(ready.times(), err());
    }
    if (ready.stopped()) {
      return INTERRUPTED;
    }
    ready.save(folder.model());
    if (run.save() != null) {
      ready.save(run.save());
    }
    String summary = Summary.json(started, ready, plan.settings(), result);
    folder.write("summary.json", summary + "\n");
    Map<String, Scores> others =
        wantsBaselines() ? BaselineRuns.of(started, plan.model(), plan.settings()) : Map.of();
    new Report(out(), plan.path()).print(ready, result, others);
    if (json) {
      out().println(summary);
    }
    return 0;
  }

  /** The page of the folder's runs, which can end this one. */
  private PageServer page(Path path, Training ready) {
    Path whole = path.toAbsolutePath().normalize();
    RunControl control =
        new RunControl() {
          @Override
          public Path folder() {
            return whole;
          }

          @Override
          public void stop() {
            ready.stop();
          }
        };
    Path parent = Objects.requireNonNullElse(whole.getParent(), whole);
    PageServer page = PageServer.start(parent, run.uiPort(), control);
    err().println("page     " + page.address());
    return page;
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

  private Map<String, String> filledIn() {
    return spec().defaultValueProvider() instanceof TrainDefaults defaults
        ? defaults.filledIn()
        : Map.of();
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
