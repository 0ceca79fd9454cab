package dev.heddle.tables.imports;

import dev.heddle.graph.ArcSorter;
import dev.heddle.graph.ColumnTreatment.Kind;
import dev.heddle.graph.store.CsrArrays;
import dev.heddle.graph.store.Names;
import dev.heddle.graph.store.StoreDraft;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.tables.DuckDb;
import dev.heddle.tables.Rows;
import dev.heddle.tables.Sql;
import dev.heddle.tables.TableException;
import dev.heddle.tables.imports.ImportSettings.MissingNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The edges: joined to vertices as they are read, never held, and sorted on disk.
 *
 * @param weight, type and time are null without such a column
 */
record EdgeTable(
    Source source,
    SourceColumn from,
    SourceColumn to,
    @Nullable SourceColumn weight,
    @Nullable SourceColumn type,
    @Nullable SourceColumn time) {
  private static final int MOST_TYPES = 1 << 16;
  private static final String NO_TIME = "CAST('" + Long.MIN_VALUE + "' AS BIGINT)";
  private static final String DANGLING =
      "' is no id of a vertex: --on-missing-node drop or add takes such edges";

  /** What became of the edges. */
  record Counts(
      long read,
      long dangling,
      long loops,
      long negative,
      long arcs,
      List<String> types,
      boolean symmetric) {}

  List<SourceColumn> ends() {
    return List.of(from, to);
  }

  /** Reads, joins and sorts all edges, and writes the arcs. */
  Counts write(
      DuckDb db,
      NodeTable nodes,
      int vertices,
      Values values,
      ImportSettings.EdgeRules rules,
      StoreDraft draft,
      Memory memory,
      ImportProgress progress) {
    List<String> types = types(db);
    ArcSorter.Form form =
        new ArcSorter.Form(
            weight != null,
            type != null,
            time != null,
            !rules.directed(),
            !rules.directed() || rules.deduplicate());
    long read = 0;
    long dangling = 0;
    long loops = 0;
    long negative = 0;
    Problems problems = new Problems();
    progress.begin("edges", source.rows());
    try (ArcSorter sorter = new ArcSorter(draft, vertices, source.rows(), form)) {
      for (Part part : source.parts()) {
        boolean stopped = false;
        try (Rows rows = db.query(joined(part, nodes, values, types))) {
          while (!stopped && rows.next()) {
            read++;
            progress.at(read);
            int source = rows.intAt(0);
            int target = rows.intAt(1);
            double w = weight == null ? 1 : rows.doubleAt(2);
            if (source < 0 || target < 0) {
              dangling++;
              stopped = rules.missingNode() != MissingNode.DROP;
              continue;
            }
            if (Double.isNaN(w) || (time != null && rows.longAt(4) == Long.MIN_VALUE)) {
              stopped = true;
              continue;
            }
            negative += w < 0 ? 1 : 0;
            if (source == target && rules.dropSelfLoops()) {
              loops++;
              continue;
            }
            sorter.add(
                source,
                target,
                (float) w,
                type == null ? 0 : rows.intAt(3),
                time == null ? 0 : rows.longAt(4));
          }
        } catch (TableException e) {
          problems.add(part.name(), "cannot be read: " + e.getMessage());
        }
        part.rejected(db, problems);
        problems.check();
        if (stopped) {
          faults(db, nodes, part, values, rules, problems);
          problems.check();
          throw new IllegalStateException(part.name() + ": an edge cannot be taken");
        }
      }
      if (negative > 0 && !rules.negativeWeights()) {
        throw Problems.of(
            source.name(),
            negative
                + " weights are negative, which models that divide by sums of weights cannot take:"
                + " --negative-weights keep takes them");
      }
      if (type != null) {
        draft.arcTypes(types);
      }
      long arcs = sorter.finish();
      boolean symmetric = true;
      if (rules.directed()) {
        CsrArrays arrays = new CsrArrays(draft, memory);
        try (Memory mapped = memory.child()) {
          Csr in = arrays.map(Names.IN, mapped, vertices);
          symmetric = arrays.writeOut(in, null);
        }
      }
      return new Counts(read, dangling, loops, negative, arcs, types, symmetric);
    }
  }

  /** The types' names in their order, which is not that of the table. */
  private List<String> types(DuckDb db) {
    List<String> names = new ArrayList<>();
    if (type == null) {
      return names;
    }
    String sql =
        "SELECT DISTINCT coalesce("
            + type.sql()
            + "::VARCHAR, '') AS name FROM "
            + source.relation()
            + " ORDER BY name LIMIT "
            + (MOST_TYPES + 1);
    try (Rows rows = db.query(sql)) {
      while (rows.next()) {
        names.add(String.valueOf(rows.textAt(0)));
      }
    }
    if (names.size() > MOST_TYPES) {
      throw Problems.of(
          source.name() + ", column '" + type.name() + "'",
          "more than " + MOST_TYPES + " types of edges: say --edge-type none if it is no type");
    }
    if (names.isEmpty()) {
      names.add("");
    }
    db.execute("CREATE OR REPLACE TABLE types (name VARCHAR, number INTEGER)");
    for (int i = 0; i < names.size(); i++) {
      db.execute("INSERT INTO types VALUES (" + Sql.text(names.get(i)) + ", " + i + ")");
    }
    return names;
  }

  /** Vertices of both ends (−1 where there is none), weight, type and time. */
  private String joined(Part part, NodeTable nodes, Values values, List<String> types) {
    return "SELECT coalesce(s.vertex, -1), coalesce(t.vertex, -1), "
        + weight(values)
        + ", "
        + (types.isEmpty() ? "0" : "k.number")
        + ", "
        + time(values)
        + " FROM "
        + part.relation()
        + " e LEFT JOIN ids s ON "
        + nodes.key(from)
        + " = s.id LEFT JOIN ids t ON "
        + nodes.key(to)
        + " = t.id"
        + (type == null
            ? ""
            : " LEFT JOIN types k ON coalesce(" + type.sql() + "::VARCHAR, '') = k.name");
  }

  /** The weight; NULL where it is none. */
  private String weight(Values values) {
    if (weight == null) {
      return "1.0::DOUBLE";
    }
    return "(CASE WHEN "
        + values.wrong(weight, Kind.NUMBER)
        + " THEN NULL ELSE "
        + values.value(weight, Kind.NUMBER)
        + " END)";
  }

  /** Whole numbers as they are, dates in seconds; the least of all longs where it is neither. */
  private String time(Values values) {
    if (time == null) {
      return "0::BIGINT";
    }
    String number = "TRY_CAST(" + values.present(time) + "::VARCHAR AS BIGINT)";
    String date =
        time.type() == ColumnType.TEXT || time.type() == ColumnType.TIME
            ? "floor(" + values.value(time, Kind.DATE) + ")::BIGINT"
            : "NULL";
    String value = time.type() == ColumnType.TIME ? date : "coalesce(" + number + ", " + date + ")";
    return "coalesce(" + value + ", " + NO_TIME + ")";
  }

  /** Tells the first rows that cannot be taken. */
  private void faults(
      DuckDb db,
      NodeTable nodes,
      Part part,
      Values values,
      ImportSettings.EdgeRules rules,
      Problems problems) {
    if (rules.missingNode() != MissingNode.DROP) {
      for (SourceColumn end : ends()) {
        String sql =
            "SELECT row, text FROM (SELECT row_number() OVER () - 1 AS row, "
                + end.sql()
                + "::VARCHAR AS text, "
                + nodes.key(end)
                + " AS key FROM "
                + part.relation()
                + ") e LEFT JOIN ids i ON e.key = i.id WHERE i.id IS NULL ORDER BY row LIMIT ";
        faults(db, part, sql, end, problems, DANGLING);
      }
    }
    if (weight != null) {
      String sql =
          "SELECT row, text FROM (SELECT row_number() OVER () - 1 AS row, "
              + weight.sql()
              + "::VARCHAR AS text, "
              + weight(values)
              + " AS value FROM "
              + part.relation()
              + ") WHERE value IS NULL ORDER BY row LIMIT ";
      faults(db, part, sql, weight, problems, "' is not a finite number (or say --weight none)");
    }
    if (time != null) {
      String sql =
          "SELECT row, text FROM (SELECT row_number() OVER () - 1 AS row, "
              + time.sql()
              + "::VARCHAR AS text, "
              + time(values)
              + " AS value FROM "
              + part.relation()
              + ") WHERE value = "
              + Long.MIN_VALUE
              + "::BIGINT ORDER BY row LIMIT ";
      faults(
          db,
          part,
          sql,
          time,
          problems,
          "' is neither a whole number nor a date (or say --time none)");
    }
  }

  private static void faults(
      DuckDb db, Part part, String sql, SourceColumn column, Problems problems, String fault) {
    try (Rows rows = db.query(sql + Problems.FIRST)) {
      while (rows.next()) {
        String text = rows.textAt(1);
        problems.add(
            part.place(rows.longAt(0)) + ", column '" + column.name() + "'",
            "'" + (text == null ? "" : text) + fault);
      }
    }
  }
}
