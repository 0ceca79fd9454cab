package dev.heddle.cli;

import dev.heddle.train.run.Scores;
import java.io.PrintWriter;
import java.util.Locale;

/** Scores of models in columns. */
final class ScoreTable {
  private final PrintWriter out;

  ScoreTable(PrintWriter out, String metric) {
    this.out = out;
    out.printf(Locale.ROOT, "%-20s %8s %8s %8s%n", metric, "train", "valid", "test");
  }

  void row(String name, Scores scores, String remark) {
    String line =
        String.format(
            Locale.ROOT,
            "%-20s %8.4f %8.4f %8.4f  %s",
            name,
            scores.train(),
            scores.valid(),
            scores.test(),
            remark);
    out.println(line.stripTrailing());
  }
}
