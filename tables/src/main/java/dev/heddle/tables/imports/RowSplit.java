package dev.heddle.tables.imports;

import dev.heddle.graph.ColumnTreatment.Kind;
import dev.heddle.graph.RandomSplit;
import dev.heddle.graph.Split;
import dev.heddle.kernel.Draws;
import dev.heddle.tables.DuckDb;
import dev.heddle.tables.Rows;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Which vertices are for training, validation and testing: by a column, by time, or drawn. */
final class RowSplit {
  private static final List<String> PARTS = List.of("train", "valid", "test");

  /** Other words for these. */
  private static final List<String> OTHERS = List.of("training", "validation", "testing", "val");

  private static final String NAMED =
      "(CASE lower(%1$s) WHEN 'train' THEN 0 WHEN 'training' THEN 0 WHEN 'valid' THEN 1 WHEN"
          + " 'validation' THEN 1 WHEN 'val' THEN 1 WHEN 'test' THEN 2 WHEN 'testing' THEN 2 END)";

  private final DuckDb db;
  private final NodeTable nodes;
  private final Values values;
  private final BitSet labelled;

  RowSplit(DuckDb db, NodeTable nodes, Values values, BitSet labelled) {
    this.db = db;
    this.nodes = nodes;
    this.values = values;
    this.labelled = labelled;
  }

  /** The split that a column says; values that are none and rows without a label are problems. */
  Split byColumn(SourceColumn column, Problems problems) {
    String present = values.present(column) + "::VARCHAR";
    String part = NAMED.replace("%1$s", present);
    String place = ", column '" + column.name() + "'";
    nodes.faults(
        "SELECT row, text FROM (SELECT "
            + NodeTable.rowNumber()
            + " AS row, "
            + present
            + " AS text, "
            + part
            + " AS part FROM "
            + nodes.cells()
            + ") WHERE text IS NOT NULL AND part IS NULL LIMIT ",
        (at, text) ->
            problems.add(
                at + place,
                "'"
                    + text
                    + "' is none of "
                    + String.join(", ", PARTS)
                    + " ("
                    + String.join(", ", OTHERS)
                    + "), nor empty"));
    BitSet[] members = {new BitSet(), new BitSet(), new BitSet()};
    int told = 0;
    try (Rows rows = db.query("SELECT coalesce(" + part + ", -1)::INTEGER FROM " + nodes.cells())) {
      for (int v = 0; rows.next(); v++) {
        int number = rows.intAt(0);
        if (number >= 0) {
          members[number].set(v);
          if (!labelled.get(v) && told++ < Problems.FIRST) {
            problems.add(nodes.place(v) + place, "it is in the split but has no label");
          }
        }
      }
    }
    return new Split(
        members[0].stream().toArray(),
        members[1].stream().toArray(),
        members[2].stream().toArray());
  }

  /** The earliest of the labelled rows are for training; those of one time stay together. */
  Split byTime(SourceColumn column, ImportSettings.SplitSettings settings, Problems problems) {
    Kind kind =
        column.type() == ColumnType.TIME
                || db.number(
                        "SELECT count(*) FROM "
                            + nodes.cells()
                            + " WHERE "
                            + values.wrong(column, Kind.NUMBER))
                    > 0
            ? Kind.DATE
            : Kind.NUMBER;
    String value = values.value(column, kind);
    nodes.faults(
        "SELECT row, text FROM (SELECT "
            + NodeTable.rowNumber()
            + " AS row, "
            + column.sql()
            + "::VARCHAR AS text, "
            + value
            + " AS time FROM "
            + nodes.cells()
            + ") WHERE time IS NULL LIMIT ",
        (at, text) ->
            problems.add(
                at + ", column '" + column.name() + "'",
                "'" + text + "' is no time: a number, a date like 2024-12-31, or --date-format"));
    problems.check();
    int count = labelled.cardinality();
    int[] order = new int[count];
    double[] times = new double[count];
    int at = 0;
    try (Rows rows =
        db.query(
            "SELECT row::INTEGER, time FROM (SELECT "
                + NodeTable.rowNumber()
                + " AS row, "
                + value
                + " AS time FROM "
                + nodes.cells()
                + ") ORDER BY time, row")) {
      while (rows.next()) {
        if (labelled.get(rows.intAt(0))) {
          order[at] = rows.intAt(0);
          times[at++] = rows.doubleAt(1);
        }
      }
    }
    int trained = together(times, (int) Math.round(settings.train() * at));
    int validated = together(times, (int) Math.round((settings.train() + settings.valid()) * at));
    return new Split(
        sorted(order, 0, trained), sorted(order, trained, validated), sorted(order, validated, at));
  }

  private static int together(double[] times, int end) {
    int moved = end;
    while (moved > 0 && moved < times.length && times[moved] == times[moved - 1]) {
      moved++;
    }
    return moved;
  }

  private static int[] sorted(int[] order, int from, int to) {
    int[] part = Arrays.copyOfRange(order, from, Math.max(from, to));
    Arrays.sort(part);
    return part;
  }

  /** A drawn split of the labelled rows. */
  Split drawn(ImportSettings.SplitSettings settings) {
    int[] known = labelled.stream().toArray();
    long key = Draws.key(Draws.Domain.SHUFFLE, settings.seed(), -1, 0, 0);
    Split split = RandomSplit.of(known.length, settings.train(), settings.valid(), key);
    return new Split(of(known, split.train()), of(known, split.valid()), of(known, split.test()));
  }

  private static int[] of(int[] known, int[] places) {
    return IntStream.of(places).map(i -> known[i]).toArray();
  }

  /** The training rows; all rows where nothing is split. */
  static BitSet training(@Nullable Split split, int rows) {
    BitSet training = new BitSet(rows);
    if (split == null) {
      training.set(0, rows);
    } else {
      IntStream.of(split.train()).forEach(training::set);
    }
    return training;
  }
}
