package dev.heddle.tables.imports;

import dev.heddle.tables.DuckDb;

/** How long the lists of a column are: all alike, or they are no features. */
final class ListWidth {
  private ListWidth() {}

  /** The length of the first list; 0 if there is none, and a problem for each of another length. */
  static int of(DuckDb db, NodeTable nodes, SourceColumn column, String value, Problems problems) {
    String cells = nodes.cells();
    int width =
        (int)
            db.number(
                "SELECT coalesce(first(n), 0) FROM (SELECT len("
                    + value
                    + ") AS n FROM "
                    + cells
                    + ") WHERE n IS NOT NULL");
    nodes.faults(
        "SELECT row, n FROM (SELECT "
            + NodeTable.rowNumber()
            + " AS row, len("
            + value
            + ") AS n FROM "
            + cells
            + ") WHERE n <> "
            + width
            + " LIMIT ",
        (place, length) ->
            problems.add(
                place + ", column '" + column.name() + "'",
                "a list of " + length + " where those before have " + width));
    if (width == 0) {
      problems.add(
          "column '" + column.name() + "'", "its lists are empty: say --skip " + column.name());
    }
    return width;
  }
}
