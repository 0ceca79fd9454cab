package dev.heddle.cli;

import dev.heddle.train.Training;
import dev.heddle.train.halo.HaloReport;
import dev.heddle.train.run.EpochReport;
import dev.heddle.train.run.Scores;
import dev.heddle.train.run.TrainResult;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** What a run came to, for people: scores, time, memory, where things are and what to do next. */
final class Report {
  private final PrintWriter out;
  private final Path folder;

  Report(PrintWriter out, Path folder) {
    this.out = out;
    this.folder = folder;
  }

  void print(Training training, TrainResult result, Map<String, Scores> others) {
    out.println();
    scores(training, result, others);
    double seconds = result.epochs().stream().mapToDouble(EpochReport::seconds).sum();
    out.println();
    line(
        "time",
        String.format(
            Locale.ROOT,
            "%.1f s of training, %.0f ms an epoch",
            seconds,
            1000 * result.medianEpochSeconds()));
    line(
        "memory",
        String.format(
            Locale.ROOT,
            "%.0f MB at the peak, %.0f MB of it for training",
            SystemMemory.peakBytes() / 1e6,
            training.peakMemoryBytes() / 1e6));
    HaloReport.Rows rows = training.halo().rows();
    if (rows.sent() < rows.oneByOne()) {
      line(
          "halo",
          rows.sent() + " rows travel at a time; one by one they would be " + rows.oneByOne());
    }
    line("model", folder.resolve(RunFolder.MODEL).toString());
    line("next", "heddle predict " + folder + " --out predictions.csv");
    line("", "heddle train --help, or heddle init for a run.yaml to start from");
  }

  private void scores(Training training, TrainResult result, Map<String, Scores> others) {
    int epochs = result.epochs().size();
    if (result.bestEpoch() == 0) {
      line("loss", String.format(Locale.ROOT, "%.4f in epoch %d", result.loss(), epochs));
      line("scores", "none were made; heddle evaluate " + folder + " makes them");
      return;
    }
    ScoreTable table = new ScoreTable(out, training.metric().name());
    String best = "epoch " + result.bestEpoch() + " of " + epochs + ", best on valid";
    table.row(training.model().spec().kind().label(), result.scores(), best);
    others.forEach((name, scores) -> table.row(name, scores, ""));
  }

  private void line(String name, String text) {
    out.printf(Locale.ROOT, "%-8s %s%n", name, text);
  }
}
