package dev.heddle.cli;

import dev.heddle.cli.chart.Sparkline;
import dev.heddle.cli.chart.Table;
import dev.heddle.cli.runs.EpochRecord;
import dev.heddle.cli.runs.RunFinder;
import dev.heddle.cli.runs.RunRecord;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code heddle runs}: what there is beneath a folder of runs. */
@Command(
    name = "runs",
    mixinStandardHelpOptions = true,
    description = "Lists runs, those of comparisons too, with how their loss went.",
    footer = {"", "Examples:", "  heddle runs", "  heddle runs runs/presets"})
final class RunsCommand implements Callable<Integer> {
  private static final int COLUMNS = 24;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(arity = "0..1", paramLabel = "<folder>", description = "Default: runs.")
  private Path folder = Path.of("runs");

  @Override
  public Integer call() {
    if (spec == null) {
      throw new IllegalStateException("not started by picocli");
    }
    PrintWriter out = spec.commandLine().getOut();
    RunFinder found = RunFinder.beneath(folder);
    List<String> heads =
        List.of("run", "preset", "epochs", "s/epoch", "loss", "valid", "test", "loss over epochs");
    out.print(new Table(heads, found.read().stream().map(this::row).toList()).text());
    out.println(found.read().size() + " of " + found.count() + " runs read");
    out.flush();
    found.unreadable().forEach(line -> spec.commandLine().getErr().println("heddle: " + line));
    return 0;
  }

  private List<String> row(RunRecord run) {
    List<EpochRecord> epochs = run.epochs();
    double loss = epochs.isEmpty() ? Double.NaN : epochs.getLast().loss();
    boolean finished = run.summary() != null;
    return List.of(
        folder.relativize(run.folder()).toString(),
        run.word("/knobs/preset"),
        epochs.size() + (finished ? "" : " …"),
        number(3, run.number("/epochSeconds/median")),
        number(4, loss),
        number(4, run.number("/valid")),
        number(4, run.number("/test")),
        Sparkline.of(epochs.stream().map(EpochRecord::loss).toList(), COLUMNS));
  }

  private static String number(int digits, double value) {
    return Double.isFinite(value) ? String.format(Locale.ROOT, "%." + digits + "f", value) : "–";
  }
}
