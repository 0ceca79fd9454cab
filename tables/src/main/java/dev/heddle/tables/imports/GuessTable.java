package dev.heddle.tables.imports;

import dev.heddle.graph.ColumnTreatment.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What columns are taken for, a line each, and how to say otherwise. */
final class GuessTable {
  private GuessTable() {}

  static List<String> lines(
      @Nullable Source source,
      NodeTable nodes,
      List<ColumnGuess> guesses,
      @Nullable Target target,
      @Nullable SourceColumn split,
      EdgeTable edges,
      ImportSettings settings) {
    List<String> lines = new ArrayList<>();
    if (source != null) {
      lines.add(String.format(Locale.ROOT, "nodes: %s, %,d rows", source.name(), nodes.rows()));
      for (SourceColumn column : source.columns()) {
        lines.add(line(column.name(), use(column, guesses, target, split)));
      }
      String words =
          settings.features().missingWords().stream().sorted().collect(Collectors.joining(", "));
      lines.add(
          "  missing values: empty, "
              + words
              + "; "
              + settings.features().missing().name().toLowerCase(Locale.ROOT)
              + " stands for them");
      lines.add(
          "  say otherwise: --id, --label, --task, --split, --feature COLUMN=KIND, --skip,"
              + " --missing, --missing-words, --standardise off");
    }
    lines.add("edges: " + edges.source().name() + ", " + direction(settings.rules()));
    for (SourceColumn column : edges.source().columns()) {
      lines.add(line(column.name(), use(column, edges)));
    }
    lines.add(
        "  say otherwise: --source, --target, --weight, --edge-type, --time, --directed,"
            + " --deduplicate, --drop-self-loops, --on-missing-node");
    return lines;
  }

  private static String line(String name, String use) {
    return String.format(Locale.ROOT, "  %-20s %s", name, use);
  }

  private static String direction(ImportSettings.EdgeRules rules) {
    return rules.directed()
        ? "each one way" + (rules.deduplicate() ? ", repeated ones become one" : "")
        : "each both ways, repeated ones become one";
  }

  private static String use(
      SourceColumn column,
      List<ColumnGuess> guesses,
      @Nullable Target target,
      @Nullable SourceColumn split) {
    if (column.equals(split)) {
      return "split";
    }
    if (target != null && target.columns().contains(column)) {
      String task = target.task().name().toLowerCase(Locale.ROOT);
      String names =
          target.task() == ImportSettings.Task.CLASS ? target.names().size() + " classes, " : "";
      return "label    " + task + ": " + names + target.why();
    }
    return guesses.stream()
        .filter(guess -> guess.column().equals(column))
        .findFirst()
        .map(GuessTable::feature)
        .orElse("id");
  }

  private static String feature(ColumnGuess guess) {
    Kind kind = guess.kind();
    String what = kind == null ? "skipped" : "feature  " + kind.label();
    String missing = guess.missing() == 0 ? "" : ", " + guess.missing() + " missing";
    return what + ": " + guess.why() + missing;
  }

  private static String use(SourceColumn column, EdgeTable edges) {
    return Stream.of(
            column.equals(edges.from()) ? "source" : "",
            column.equals(edges.to()) ? "target" : "",
            column.equals(edges.weight()) ? "weight" : "",
            column.equals(edges.type()) ? "type" : "",
            column.equals(edges.time()) ? "time" : "")
        .filter(use -> !use.isEmpty())
        .findFirst()
        .orElse("passed over");
  }
}
