package dev.heddle.tables.imports;

import dev.heddle.graph.store.ArrayWriter;
import dev.heddle.graph.store.ElementType;
import dev.heddle.graph.store.Names;
import dev.heddle.graph.store.StoreDraft;
import dev.heddle.tables.DuckDb;
import dev.heddle.tables.Rows;
import dev.heddle.tables.TableException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The vertices in DuckDB: table {@code vertices} with their ids as text, whose rows are numbered as
 * the vertices are; and, where text had to be read, table {@code cells} with all columns.
 */
final class NodeTable {
  private static final int MOST = Integer.MAX_VALUE - 64;

  private final DuckDb db;
  private final @Nullable Source source;
  private final @Nullable SourceColumn id;
  private final List<Long> firsts = new ArrayList<>();
  private long rows;
  private boolean whole;

  private NodeTable(DuckDb db, @Nullable Source source, @Nullable SourceColumn id) {
    this.db = db;
    this.source = source;
    this.id = id;
  }

  /** Reads ids, and all cells of text; ids that are empty or there twice are problems. */
  static NodeTable read(
      DuckDb db, @Nullable Source source, @Nullable SourceColumn id, Problems problems) {
    NodeTable table = new NodeTable(db, source, id);
    db.execute("CREATE TABLE vertices (id VARCHAR)");
    if (source != null && id != null) {
      table.read(source, id);
      table.ids(problems);
    }
    return table;
  }

  private void read(Source nodes, SourceColumn key) {
    Problems problems = new Problems();
    boolean copied = nodes.parts().stream().anyMatch(part -> !part.typed());
    for (Part part : nodes.parts()) {
      firsts.add(rows);
      try {
        String from = part.relation();
        if (copied) {
          String verb = firsts.size() == 1 ? "CREATE TABLE cells AS " : "INSERT INTO cells ";
          db.execute(verb + "SELECT * FROM " + from);
          from = "cells WHERE rowid >= " + rows;
        }
        db.execute("INSERT INTO vertices SELECT " + key.sql() + "::VARCHAR FROM " + from);
      } catch (TableException e) {
        problems.add(part.name(), "cannot be read: " + e.getMessage());
      }
      part.rejected(db, problems);
      rows = db.number("SELECT count(*) FROM vertices");
    }
    problems.check();
    if (rows == 0) {
      throw Problems.of(nodes.name(), "there are no rows");
    }
  }

  private void ids(Problems problems) {
    String column = ", column '" + key() + "'";
    faults(
        "SELECT rowid, '' FROM vertices WHERE id IS NULL OR id = '' ORDER BY rowid LIMIT ",
        (place, text) -> problems.add(place + column, "an empty id"));
    if (db.number("SELECT count(id) - count(DISTINCT id) FROM vertices") > 0) {
      faults(
          "SELECT row, id FROM (SELECT rowid AS row, id, row_number() OVER (PARTITION BY id ORDER"
              + " BY rowid) AS time FROM vertices WHERE id IS NOT NULL) WHERE time = 2 ORDER BY row"
              + " LIMIT ",
          (place, text) -> problems.add(place + column, "the id '" + text + "' is there already"));
    }
  }

  private String key() {
    return id == null ? "id" : id.name();
  }

  /** What is said of a row. */
  interface Fault {
    void at(String place, String text);
  }

  /** Tells the first rows of a query that gives their numbers and a text. */
  void faults(String sql, Fault fault) {
    List<Long> numbers = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    try (Rows found = db.query(sql + Problems.FIRST)) {
      while (found.next()) {
        numbers.add(found.longAt(0));
        texts.add(String.valueOf(found.textAt(1)));
      }
    }
    for (int i = 0; i < numbers.size(); i++) {
      fault.at(place(numbers.get(i)), texts.get(i));
    }
  }

  /** Where a row is in the files. */
  String place(long row) {
    if (source == null || row >= rows) {
      return "vertex " + row;
    }
    int part = source.parts().size() - 1;
    while (firsts.get(part) > row) {
      part--;
    }
    return source.parts().get(part).place(row - firsts.get(part));
  }

  /** What queries of cells read, in the order of vertices; columns as the source calls them. */
  String cells() {
    if (source == null) {
      throw new IllegalStateException("there is no table of vertices");
    }
    return source.parts().stream().allMatch(Part::typed) ? source.relation() : "cells";
  }

  /** Rows of the table; vertices that edges add come after them. */
  int rows() {
    return (int) rows;
  }

  /** Adds the vertices that only edges name, by their ids. */
  long add(Source edges, List<SourceColumn> ends) {
    String named =
        ends.stream()
            .map(end -> "SELECT " + end.sql() + "::VARCHAR AS id FROM " + edges.relation())
            .collect(Collectors.joining(" UNION ALL "));
    long before = db.number("SELECT count(*) FROM vertices");
    db.execute(
        "INSERT INTO vertices SELECT DISTINCT id FROM ("
            + named
            + ") WHERE id IS NOT NULL AND id <> '' AND id NOT IN (SELECT id FROM vertices) ORDER BY"
            + " id");
    return db.number("SELECT count(*) FROM vertices") - before;
  }

  /**
   * Ends the numbering: makes table {@code ids} of the ids and their vertices, as numbers where all
   * are whole numbers as one writes them.
   */
  int number() {
    long vertices = db.number("SELECT count(*) FROM vertices");
    if (vertices == 0 || vertices > MOST) {
      throw Problems.of("vertices", vertices + " of them: there must be 1 to " + MOST);
    }
    whole = db.number("SELECT count(*) FROM vertices WHERE " + number("id") + " IS NULL") == 0;
    db.execute(
        "CREATE TABLE ids AS SELECT "
            + (whole ? "id::BIGINT" : "id")
            + " AS id, rowid::INTEGER AS vertex FROM vertices");
    return (int) vertices;
  }

  /** A text as a whole number, NULL if it is none, or not as one writes it: 007, +7. */
  private static String number(String text) {
    String cast = "TRY_CAST(" + text + " AS BIGINT)";
    return "(CASE WHEN " + cast + "::VARCHAR = " + text + " THEN " + cast + " END)";
  }

  /** What an end of an edge is compared with ids as. */
  String key(SourceColumn end) {
    if (whole && end.type() == ColumnType.WHOLE) {
      return end.sql() + "::BIGINT";
    }
    return whole ? number(end.sql() + "::VARCHAR") : end.sql() + "::VARCHAR";
  }

  /** Whether ids are numbers. */
  boolean whole() {
    return whole;
  }

  /** Writes ids, and the order in which they are found. */
  void write(StoreDraft draft) {
    if (whole) {
      try (ArrayWriter values = draft.vector(Names.USER_IDS, ElementType.INT64);
          Rows rows = db.query("SELECT id FROM ids ORDER BY vertex")) {
        while (rows.next()) {
          values.writeLong(rows.longAt(0));
        }
        values.finish();
      }
    } else {
      text(draft);
    }
    try (ArrayWriter sorted = draft.vector(Names.USER_IDS + Names.SORTED, ElementType.INT32);
        Rows rows = db.query("SELECT vertex FROM ids ORDER BY id")) {
      while (rows.next()) {
        sorted.writeInt(rows.intAt(0));
      }
      sorted.finish();
    }
  }

  private void text(StoreDraft draft) {
    try (ArrayWriter offsets = draft.vector(Names.USER_IDS + Names.OFFSETS, ElementType.INT64);
        ArrayWriter bytes = draft.vector(Names.USER_IDS, ElementType.UINT8);
        Rows rows = db.query("SELECT id FROM ids ORDER BY vertex")) {
      long end = 0;
      offsets.writeLong(end);
      while (rows.next()) {
        byte[] name = String.valueOf(rows.textAt(0)).getBytes(StandardCharsets.UTF_8);
        bytes.write(name);
        end += name.length;
        offsets.writeLong(end);
      }
      offsets.finish();
      bytes.finish();
    }
  }

  /** A row's number in a query over {@link #cells}. */
  static String rowNumber() {
    return "(row_number() OVER () - 1)";
  }
}
