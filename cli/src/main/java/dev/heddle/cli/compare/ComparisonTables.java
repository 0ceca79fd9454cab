package dev.heddle.cli.compare;

import dev.heddle.cli.chart.Table;
import dev.heddle.cli.runs.EpochRecord;
import dev.heddle.cli.runs.RunRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A comparison as tables, for people and for spreadsheets. */
public final class ComparisonTables {
  private static final String NOTHING = "–";

  private final Comparison comparison;

  public ComparisonTables(Comparison comparison) {
    this.comparison = comparison;
  }

  /** For a terminal. */
  public String text() {
    return figures().text()
        + System.lineSeparator()
        + sent().text()
        + System.lineSeparator()
        + notes()
        + System.lineSeparator();
  }

  public String markdown() {
    return figures().markdown()
        + "\nMB an epoch by kind:\n\n"
        + sent().markdown()
        + "\n"
        + Table.inMarkdown(notes())
        + "\n";
  }

  /** What the columns mean. */
  String notes() {
    String runs =
        comparison.seeds().size() == 1 ? "one seed" : comparison.seeds().size() + " seeds";
    String score =
        comparison.target().exists()
            ? " Times are to a validation score of " + comparison.target().words() + "."
            : " Nothing was scored.";
    return comparison.graph()
        + ", "
        + comparison.common()
        + "; "
        + runs
        + ", in turns. Scores are on test vertices at the best validation epoch, ± a standard"
        + " deviation over seeds. Seconds of an epoch are the median over all epochs and seeds, with"
        + " the 10th and 90th percentile. Megabytes and messages are of all workers in an epoch,"
        + " evaluations apart."
        + score;
  }

  Table figures() {
    List<String> heads =
        List.of(
            "variant",
            "test " + comparison.metric(),
            "s/epoch",
            "10–90 %",
            "MB/epoch",
            "messages",
            "epochs to target",
            "s to target",
            "peak MB",
            "");
    return new Table(heads, comparison.results().stream().map(this::figures).toList());
  }

  private List<String> figures(VariantResult result) {
    List<String> row = new ArrayList<>(List.of(result.name()));
    if (!result.isWhole()) {
      row.addAll(Collections.nCopies(8, NOTHING));
      row.add(result.failure() == null ? "has not run" : "failed: " + result.failure());
      return row;
    }
    Sample test = result.score("test");
    Sample seconds = result.epochSeconds();
    Sample epochs = result.epochsTo(comparison.target());
    row.add(number(4, test.mean()) + deviation(test));
    row.add(number(3, seconds.median()));
    row.add(number(3, seconds.quantile(0.1)) + "–" + number(3, seconds.quantile(0.9)));
    row.add(number(2, result.sent("bytes") / 1e6));
    row.add(number(0, result.sent("messages")));
    row.add(number(0, epochs.median()) + reached(result, epochs));
    row.add(number(1, result.secondsTo(comparison.target()).median()));
    row.add(number(0, result.peakBytes("rss") / 1e6));
    row.add("");
    return row;
  }

  private static String deviation(Sample sample) {
    double deviation = sample.deviation();
    return Double.isNaN(deviation) ? "" : " ± " + number(4, deviation);
  }

  /** How many of the seeds got there, if not all. */
  private static String reached(VariantResult result, Sample epochs) {
    int runs = result.runs().size();
    int count = epochs.sorted().size();
    return count == runs || count == 0 ? "" : " (" + count + " of " + runs + ")";
  }

  /** Megabytes of an epoch by kind. */
  Table sent() {
    List<String> kinds = comparison.kinds();
    List<String> heads = new ArrayList<>(List.of("MB/epoch"));
    heads.addAll(kinds);
    heads.add("");
    List<List<String>> rows = new ArrayList<>();
    for (VariantResult result : comparison.whole()) {
      List<String> row = new ArrayList<>(List.of(result.name()));
      kinds.forEach(kind -> row.add(number(3, result.sent(kind, "bytes") / 1e6)));
      row.add("");
      rows.add(row);
    }
    return new Table(heads, rows);
  }

  private static String number(int digits, double value) {
    return Double.isFinite(value)
        ? String.format(Locale.ROOT, "%." + digits + "f", value)
        : NOTHING;
  }

  /** A line for each variant, numbers as they are. */
  public String csv() {
    List<String> kinds = comparison.kinds();
    List<String> heads =
        new ArrayList<>(
            List.of(
                "variant",
                "failure",
                "runs",
                "test_mean",
                "test_deviation",
                "valid_mean",
                "epoch_seconds_median",
                "epoch_seconds_p10",
                "epoch_seconds_p90",
                "bytes_per_epoch",
                "messages_per_epoch",
                "reached",
                "epochs_to_target",
                "seconds_to_target",
                "peak_rss_bytes",
                "peak_native_bytes"));
    kinds.forEach(kind -> heads.add(kind + "_bytes_per_epoch"));
    kinds.forEach(kind -> heads.add(kind + "_messages_per_epoch"));
    return new Table(heads, comparison.results().stream().map(r -> raw(r, kinds)).toList()).csv();
  }

  private List<String> raw(VariantResult result, List<String> kinds) {
    List<String> row = new ArrayList<>(List.of(result.name()));
    row.add(result.failure() == null ? "" : result.failure());
    row.add("" + result.runs().size());
    Sample epochs = result.epochsTo(comparison.target());
    Stream.of(
            result.score("test").mean(),
            result.score("test").deviation(),
            result.score("valid").mean(),
            result.epochSeconds().median(),
            result.epochSeconds().quantile(0.1),
            result.epochSeconds().quantile(0.9),
            result.sent("bytes"),
            result.sent("messages"),
            (double) epochs.sorted().size(),
            epochs.median(),
            result.secondsTo(comparison.target()).median(),
            result.peakBytes("rss"),
            result.peakBytes("native"))
        .forEach(value -> row.add(raw(value)));
    kinds.forEach(kind -> row.add(raw(result.sent(kind, "bytes"))));
    kinds.forEach(kind -> row.add(raw(result.sent(kind, "messages"))));
    return row;
  }

  /** A line for each epoch of each run: what the curves of the page are drawn from. */
  public String epochsCsv() {
    List<List<String>> rows = new ArrayList<>();
    for (VariantResult result : comparison.results()) {
      for (RunRecord run : result.runs()) {
        for (EpochRecord epoch : run.epochs()) {
          rows.add(
              List.of(
                  result.name(),
                  raw(run.number("/seed")),
                  "" + epoch.epoch(),
                  raw(epoch.loss()),
                  raw(epoch.valid()),
                  raw(epoch.seconds())));
        }
      }
    }
    return new Table(List.of("variant", "seed", "epoch", "loss", "valid", "seconds"), rows).csv();
  }

  private static String raw(double value) {
    return Double.isFinite(value)
        ? value == Math.rint(value) && Math.abs(value) < 1e15
            ? Long.toString((long) value)
            : Double.toString(value)
        : "";
  }
}
