package dev.heddle.tables.imports;

import dev.heddle.graph.ColumnTreatment.Kind;
import dev.heddle.graph.store.ArrayWriter;
import dev.heddle.graph.store.ElementType;
import dev.heddle.graph.store.LabelInfo;
import dev.heddle.graph.store.Names;
import dev.heddle.graph.store.StoreDraft;
import dev.heddle.kernel.Matrix;
import dev.heddle.tables.DuckDb;
import dev.heddle.tables.Rows;
import dev.heddle.tables.Sql;
import dev.heddle.tables.imports.ImportSettings.Task;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What is to be predicted: a class, several labels, or numbers.
 *
 * @param columns one; or several of 0 and 1, or of numbers
 * @param names of classes, labels or numbers
 * @param expressions what a query selects: a text for a class, else numbers
 * @param why it is taken for that
 */
record Target(
    Task task,
    List<SourceColumn> columns,
    List<String> names,
    List<String> expressions,
    String why) {
  /** Whole numbers in a column from which on they are amounts rather than classes. */
  private static final long MOST_CLASSES = 100;

  /** Looks at the columns; what is wrong with them is a problem. */
  static @Nullable Target of(
      DuckDb db,
      NodeTable nodes,
      List<SourceColumn> columns,
      ImportSettings.NodeColumns said,
      Values values,
      Problems problems) {
    if (columns.isEmpty()) {
      return null;
    }
    SourceColumn first = columns.getFirst();
    if (columns.size() > 1) {
      return numbers(db, nodes, columns, said.task(), values, problems);
    }
    if (first.type() == ColumnType.TEXTS) {
      return names(db, nodes, first, said, problems);
    }
    String present = values.present(first);
    String number = values.value(first, Kind.NUMBER);
    boolean list = first.type() == ColumnType.LIST;
    if (!list
        && first.type() != ColumnType.TEXT
        && first.type() != ColumnType.WHOLE
        && first.type() != ColumnType.REAL
        && first.type() != ColumnType.BOOLEAN) {
      problems.add(
          "column '" + first.name() + "'", "labels are texts, numbers or lists of numbers");
      return null;
    }
    if (!list && first.type() == ColumnType.TEXT) {
      list =
          db.number("SELECT count(" + present + ") FROM " + nodes.cells()) > 0
              && db.number(
                      "SELECT count(*) FROM "
                          + nodes.cells()
                          + " WHERE "
                          + present
                          + " IS NOT NULL AND "
                          + values.value(first, Kind.LIST)
                          + " IS NULL")
                  == 0;
    }
    if (list) {
      return list(db, nodes, first, said.task(), values, problems);
    }
    Task task = said.task();
    String why = "as --task says";
    if (task == null) {
      long there = 0;
      long numbers = 0;
      long decimals = 0;
      long different = 0;
      try (Rows rows =
          db.query(
              "SELECT count(p), count(n), count(*) FILTER (WHERE n <> floor(n)),"
                  + " approx_count_distinct(p) FROM (SELECT "
                  + present
                  + "::VARCHAR AS p, "
                  + (first.type() == ColumnType.BOOLEAN ? "NULL" : number)
                  + "::DOUBLE AS n FROM "
                  + nodes.cells()
                  + ")")) {
        boolean _ = rows.next();
        there = rows.longAt(0);
        numbers = rows.longAt(1);
        decimals = rows.longAt(2);
        different = rows.longAt(3);
      }
      boolean all = numbers == there && there > 0;
      task = all && (decimals > 0 || different > MOST_CLASSES) ? Task.NUMBER : Task.CLASS;
      why =
          !all
              ? "texts"
              : decimals > 0
                  ? "numbers with decimals"
                  : "whole numbers, about " + different + " different ones";
    }
    return switch (task) {
      case CLASS -> classes(db, nodes, first, present, said, why, problems);
      case NUMBER -> {
        check(nodes, first, values, Kind.NUMBER, problems);
        yield new Target(task, columns, List.of(first.name()), List.of(number), why);
      }
      case MULTI -> numbers(db, nodes, columns, task, values, problems);
    };
  }

  private static Target classes(
      DuckDb db,
      NodeTable nodes,
      SourceColumn column,
      String present,
      ImportSettings.NodeColumns said,
      String why,
      Problems problems) {
    List<String> names = distinct(db, present + "::VARCHAR", nodes);
    List<String> known = said.classNames();
    if (known != null) {
      for (String name : names) {
        if (!known.contains(name)) {
          problems.add(
              "column '" + column.name() + "'", "the class '" + name + "' is none of the model's");
        }
      }
      names = known;
    }
    if (names.isEmpty()) {
      problems.add("column '" + column.name() + "'", "there are no labels in it");
    }
    return new Target(Task.CLASS, List.of(column), names, List.of(present + "::VARCHAR"), why);
  }

  /** By number where all are numbers, else by name. */
  private static List<String> distinct(DuckDb db, String expression, NodeTable nodes) {
    List<String> names = new ArrayList<>();
    try (Rows rows =
        db.query(
            "SELECT DISTINCT n FROM (SELECT "
                + expression
                + " AS n FROM "
                + nodes.cells()
                + ") WHERE n IS NOT NULL")) {
      while (rows.next()) {
        names.add(String.valueOf(rows.textAt(0)));
      }
    }
    boolean whole = names.stream().allMatch(name -> name.matches("-?[0-9]{1,18}"));
    names.sort(
        whole
            ? Comparator.<String>comparingLong(Long::parseLong)
                .thenComparing(Comparator.naturalOrder())
            : Comparator.naturalOrder());
    return names;
  }

  /** Lists of texts: several labels by name. */
  private static Target names(
      DuckDb db,
      NodeTable nodes,
      SourceColumn column,
      ImportSettings.NodeColumns said,
      Problems problems) {
    List<String> known = said.classNames();
    List<String> names =
        known != null ? known : distinct(db, "unnest(" + column.sql() + ")", nodes);
    if (names.isEmpty()) {
      problems.add("column '" + column.name() + "'", "there are no labels in it");
    }
    List<String> expressions =
        names.stream()
            .map(name ->
                "list_contains(" + column.sql() + ", " + Sql.text(name) + ")::INTEGER::DOUBLE")
            .toList();
    return new Target(Task.MULTI, List.of(column), names, expressions, "lists of texts");
  }

  private static @Nullable Target list(
      DuckDb db,
      NodeTable nodes,
      SourceColumn column,
      @Nullable Task said,
      Values values,
      Problems problems) {
    String value = values.value(column, Kind.LIST);
    int width = ListWidth.of(db, nodes, column, value, problems);
    if (width == 0) {
      return null;
    }
    check(nodes, column, values, Kind.LIST, problems);
    List<String> expressions =
        IntStream.rangeClosed(1, width).mapToObj(i -> "(" + value + ")[" + i + "]").toList();
    List<String> names = IntStream.range(0, width).mapToObj(Integer::toString).toList();
    return several(db, nodes, List.of(column), names, expressions, said, problems);
  }

  private static Target numbers(
      DuckDb db,
      NodeTable nodes,
      List<SourceColumn> columns,
      @Nullable Task said,
      Values values,
      Problems problems) {
    columns.forEach(column -> check(nodes, column, values, Kind.NUMBER, problems));
    List<String> expressions =
        columns.stream().map(column -> values.value(column, Kind.NUMBER)).toList();
    List<String> names = columns.stream().map(SourceColumn::name).toList();
    return several(db, nodes, columns, names, expressions, said, problems);
  }

  private static Target several(
      DuckDb db,
      NodeTable nodes,
      List<SourceColumn> columns,
      List<String> names,
      List<String> expressions,
      @Nullable Task said,
      Problems problems) {
    String other =
        expressions.stream().map(e -> e + " NOT IN (0, 1)").collect(Collectors.joining(" OR "));
    long others = db.number("SELECT count(*) FROM " + nodes.cells() + " WHERE " + other);
    if (said == Task.MULTI && others > 0) {
      problems.add(
          "column '" + columns.getFirst().name() + "'",
          others + " rows have labels other than 0 and 1: say --task number if they are amounts");
    }
    Task task = said == Task.CLASS || said == null ? (others > 0 ? Task.NUMBER : Task.MULTI) : said;
    return new Target(task, columns, names, expressions, others > 0 ? "numbers" : "0 and 1 alone");
  }

  private static void check(
      NodeTable nodes, SourceColumn column, Values values, Kind kind, Problems problems) {
    nodes.faults(
        "SELECT row, text FROM (SELECT "
            + NodeTable.rowNumber()
            + " AS row, "
            + column.sql()
            + "::VARCHAR AS text, "
            + values.wrong(column, kind)
            + " AS wrong FROM "
            + nodes.cells()
            + ") WHERE wrong LIMIT ",
        (place, text) ->
            problems.add(
                place + ", column '" + column.name() + "'",
                "'" + text + "' is not a finite number; --missing-words takes words for nothing"));
  }

  /** Writes the labels, and says which rows have one; vertices after them have none. */
  LabelInfo write(DuckDb db, NodeTable nodes, int vertices, StoreDraft draft, BitSet labelled) {
    String sql = "SELECT " + String.join(", ", expressions) + " FROM " + nodes.cells();
    try (Rows rows = db.query(sql)) {
      return task == Task.CLASS
          ? classes(rows, vertices, draft, labelled)
          : numbers(rows, vertices, draft, labelled);
    }
  }

  private LabelInfo classes(Rows rows, int vertices, StoreDraft draft, BitSet labelled) {
    Map<String, Integer> numbers = new HashMap<>();
    names.forEach(name -> numbers.put(name, numbers.size()));
    try (ArrayWriter writer = draft.vector(Names.LABELS, ElementType.INT32)) {
      for (int v = 0; v < vertices; v++) {
        String name = rows.next() ? rows.textAt(0) : null;
        labelled.set(v, name != null);
        writer.writeInt(name == null ? -1 : numbers.getOrDefault(name, -1));
      }
      writer.finish();
    }
    return new LabelInfo(LabelInfo.Kind.CLASS, names.size(), names);
  }

  private LabelInfo numbers(Rows rows, int vertices, StoreDraft draft, BitSet labelled) {
    int width = expressions.size();
    try (ArrayWriter writer = draft.matrix(Names.LABELS, width)) {
      for (int v = 0; v < vertices; v++) {
        boolean row = rows.next();
        boolean all = row;
        for (int i = 0; i < Matrix.strideOf(width); i++) {
          double value = row && i < width ? rows.doubleAt(i) : 0;
          all &= !Double.isNaN(value);
          writer.writeFloat(Double.isNaN(value) ? 0 : (float) value);
        }
        labelled.set(v, all);
      }
      writer.finish();
    }
    LabelInfo.Kind kind = task == Task.MULTI ? LabelInfo.Kind.MULTI : LabelInfo.Kind.REAL;
    return new LabelInfo(kind, width, names);
  }
}
