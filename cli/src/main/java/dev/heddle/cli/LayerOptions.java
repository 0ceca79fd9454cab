package dev.heddle.cli;

import dev.heddle.train.layers.LayerDivision;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.LayerSplit.Compensation;
import dev.heddle.train.settings.LayerSplit.History;
import dev.heddle.train.settings.LayerSplit.Initial;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of the splits {@code layers} and {@code hybrid}: stages and chunks. */
final class LayerOptions {
  @Option(
      names = "--stages",
      description =
          "With --split hybrid: stages that the layers are cut into, of equally many workers each"
              + " (default: 2). With --split layers every worker is one.")
  private @Nullable Integer stages;

  @Option(
      names = "--chunks",
      description =
          "Chunks in which vertices pass through the stages; 1 is exact, and has no pipeline"
              + " (default: 4 for each stage).")
  private @Nullable Integer chunks;

  @Option(
      names = "--compensation",
      description =
          "What is done for gradients that chunks never get: ${COMPLETION-CANDIDATES}: none; double,"
              + " those of other chunks count twice; carried, those of the epoch before stand in"
              + " (default: none).")
  private @Nullable Compensation compensation;

  @Option(
      names = "--refresh",
      description =
          "Epochs for which rows of history stand for those of chunks to come (default: 23).")
  private @Nullable Integer refresh;

  @Option(
      names = "--forward-twice",
      description =
          "Epochs from one to the next that go forward twice, the second time with the rows of the"
              + " first; 0 for none (default: 0).")
  private @Nullable Integer twice;

  @Option(
      names = "--initial",
      description =
          "How later stages get what they need of the first layer besides rows (gcnii, appnp):"
              + " ${COMPLETION-CANDIDATES}: sent with the rows, or made anew from the features"
              + " (default: auto, as is cheaper by their sizes). Made, bits depend on the number of"
              + " stages.")
  private @Nullable Initial initial;

  @Option(
      names = "--section-costs",
      description =
          "What each section of the model costs, in any unit, by which it is cut into stages: whole"
              + " numbers with commas (default: nanoseconds as measured at the start, which the"
              + " run's file keeps). Where the model is cut changes no bit, unless stages make"
              + " --initial.")
  private @Nullable String costs;

  /** What these options say, else what stands in {@code base}. */
  LayerSplit over(LayerSplit base) {
    History usual = base.history();
    return new LayerSplit(
        stages != null ? stages : base.stages(),
        base.ways(),
        chunks != null ? chunks : base.chunks(),
        compensation != null ? compensation : base.compensation(),
        new History(
            refresh != null ? refresh : usual.refresh(), twice != null ? twice : usual.twice()),
        initial != null ? initial : base.initial(),
        costs != null ? parsed(costs) : base.costs());
  }

  private static List<Long> parsed(String numbers) {
    try {
      return Arrays.stream(numbers.split(",", -1)).map(n -> Long.valueOf(n.strip())).toList();
    } catch (NumberFormatException e) {
      throw new InputException(
          "--section-costs takes whole numbers with commas, not '" + numbers + "'", e);
    }
  }

  /** Keeps what the model was cut by, so that a run that goes on is cut alike. */
  void keepCosts(LayerDivision division) {
    if (!division.costs().isEmpty()) {
      costs = division.costs().stream().map(String::valueOf).collect(Collectors.joining(","));
    }
  }

  /** Keeps what was settled on and decides bits, so that the run's file says it. */
  void settle(LayerSplit settled) {
    chunks = settled.chunks();
    compensation = settled.compensation();
    refresh = settled.history().refresh();
    twice = settled.history().twice();
    initial = settled.initial();
  }
}
