package dev.heddle.cli;

import dev.heddle.cli.chart.Curve;
import dev.heddle.cli.runs.RunCurves;
import dev.heddle.cli.runs.RunCurves.Over;
import dev.heddle.cli.runs.RunCurves.Value;
import dev.heddle.cli.runs.RunRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code heddle plot}: how runs went, as a picture. */
@Command(
    name = "plot",
    mixinStandardHelpOptions = true,
    description = "Draws the curves of runs into an SVG file, which any browser shows.",
    footer = {
      "",
      "Examples:",
      "  heddle plot runs/one runs/other --out loss.svg",
      "  heddle plot runs/presets/*/seed-0 --value score --over seconds --out scores.svg"
    })
final class PlotCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Parameters(arity = "1..*", paramLabel = "<run>", description = "Folders of runs.")
  private List<Path> folders = List.of();

  @Option(names = "--out", required = true, description = "File to write.")
  private Path out = Path.of("");

  @Option(
      names = "--value",
      description = "${COMPLETION-CANDIDATES} on validation vertices (default: ${DEFAULT-VALUE}).")
  private Value value = Value.LOSS;

  @Option(names = "--over", description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Over over = Over.EPOCHS;

  @Override
  public Integer call() {
    if (spec == null) {
      throw new IllegalStateException("not started by picocli");
    }
    List<Curve> curves = new ArrayList<>();
    String metric = "score";
    for (Path folder : folders) {
      RunRecord run = RunRecord.read(folder);
      if (run.epochs().isEmpty()) {
        throw new InputException(folder + ": is not the folder of a run, it has no epochs");
      }
      if (over == Over.MEGABYTES && run.summary() == null) {
        throw new InputException(folder + ": what it sent is known when it has finished");
      }
      Curve curve = RunCurves.of(folder.toString(), run, value, over);
      if (curve.points().isEmpty()) {
        throw new InputException(folder + ": has nothing to draw of " + value + " over " + over);
      }
      metric = run.metric().isEmpty() ? metric : run.metric();
      curves.add(curve);
    }
    try {
      Files.writeString(out, RunCurves.chart(metric, value, over, curves).file());
    } catch (IOException e) {
      throw new InputException(out + ": cannot be written (" + e.getMessage() + ")", e);
    }
    spec.commandLine().getOut().println("wrote " + out);
    return 0;
  }
}
