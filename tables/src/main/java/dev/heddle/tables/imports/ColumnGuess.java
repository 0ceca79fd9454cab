package dev.heddle.tables.imports;

import dev.heddle.graph.ColumnTreatment.Kind;
import dev.heddle.tables.DuckDb;
import dev.heddle.tables.Rows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a column of vertices is taken for, by a look at all of its cells; and why, for the user.
 *
 * @param kind null for no feature
 * @param missing cells that are empty or a word for nothing
 */
record ColumnGuess(SourceColumn column, @Nullable Kind kind, long missing, String why) {
  /** Texts of a column that get a feature each; more are hashed. */
  static final int MOST_CATEGORIES = 100;

  /** Words of a cell, in the mean, from which on it is taken for text. */
  private static final double WORDS = 3;

  /** Share of cells from which on the others are taken for mistakes. */
  private static final double MOSTLY = 0.9;

  private static final List<Kind> PARSED = List.of(Kind.BOOLEAN, Kind.NUMBER, Kind.DATE, Kind.LIST);

  /** Looks at columns, all in one query. */
  static List<ColumnGuess> of(
      DuckDb db,
      NodeTable nodes,
      List<SourceColumn> columns,
      Values values,
      ImportSettings.FeatureSettings settings) {
    List<ColumnGuess> guesses = new ArrayList<>();
    List<SourceColumn> texts =
        columns.stream().filter(c -> c.type() == ColumnType.TEXT).filter(open(settings)).toList();
    String counts =
        columns.stream()
            .map(c -> "count(" + values.present(c) + ")")
            .collect(Collectors.joining(", "));
    String looks = texts.stream().map(c -> ", " + look(c, values)).collect(Collectors.joining());
    if (columns.isEmpty()) {
      return guesses;
    }
    try (Rows rows = db.query("SELECT count(*), " + counts + looks + " FROM " + nodes.cells())) {
      boolean _ = rows.next();
      long all = rows.longAt(0);
      int at = 1 + columns.size();
      for (int i = 0; i < columns.size(); i++) {
        SourceColumn column = columns.get(i);
        long there = rows.longAt(1 + i);
        long missing = all - there;
        if (texts.contains(column)) {
          guesses.add(text(column, rows, at, there, missing));
          at += PARSED.size() + 2;
        } else {
          guesses.add(typed(column, settings, missing));
        }
      }
    }
    return guesses;
  }

  private static Predicate<SourceColumn> open(ImportSettings.FeatureSettings settings) {
    return column ->
        !settings.kinds().containsKey(column.name()) && !settings.skipped().contains(column.name());
  }

  private static String look(SourceColumn column, Values values) {
    return PARSED.stream()
            .map(kind -> "count(" + values.value(column, kind) + ")")
            .collect(Collectors.joining(", "))
        + ", approx_count_distinct("
        + values.present(column)
        + "), avg(len(string_split_regex("
        + values.present(column)
        + ", '\\s+')))";
  }

  private static ColumnGuess typed(
      SourceColumn column, ImportSettings.FeatureSettings settings, long missing) {
    Map<String, Kind> said = settings.kinds();
    if (settings.skipped().contains(column.name())) {
      return new ColumnGuess(column, null, missing, "as --skip says");
    }
    Kind kind = said.get(column.name());
    if (kind != null) {
      return new ColumnGuess(column, kind, missing, "as --feature says");
    }
    kind =
        switch (column.type()) {
          case WHOLE, REAL -> Kind.NUMBER;
          case BOOLEAN -> Kind.BOOLEAN;
          case TIME -> Kind.DATE;
          case LIST -> Kind.LIST;
          case TEXT, TEXTS, OTHER -> null;
        };
    return new ColumnGuess(
        column, kind, missing, kind == null ? "no numbers nor text" : "its type");
  }

  private static ColumnGuess text(
      SourceColumn column, Rows rows, int at, long there, long missing) {
    if (there == 0) {
      return new ColumnGuess(column, null, missing, "empty");
    }
    for (int i = 0; i < PARSED.size(); i++) {
      if (rows.longAt(at + i) == there) {
        return new ColumnGuess(column, PARSED.get(i), missing, "every cell is one");
      }
    }
    for (int i = 0; i < PARSED.size(); i++) {
      if (rows.longAt(at + i) >= MOSTLY * there) {
        return new ColumnGuess(column, PARSED.get(i), missing, "nearly every cell is one");
      }
    }
    long distinct = rows.longAt(at + PARSED.size());
    double words = rows.doubleAt(at + PARSED.size() + 1);
    if (words >= WORDS) {
      return new ColumnGuess(column, Kind.TEXT, missing, Math.round(words) + " words a cell");
    }
    if (distinct <= MOST_CATEGORIES && distinct <= Math.max(20, there / 2)) {
      return new ColumnGuess(
          column, Kind.CATEGORY, missing, "about " + distinct + " different ones");
    }
    if (distinct > MOSTLY * there) {
      return new ColumnGuess(column, null, missing, "a name: nearly every cell is another");
    }
    return new ColumnGuess(column, Kind.HASHED, missing, "about " + distinct + " different ones");
  }
}
