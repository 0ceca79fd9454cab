package dev.heddle.tables.imports;

import dev.heddle.graph.ColumnTreatment;
import dev.heddle.graph.ColumnTreatment.Kind;
import dev.heddle.tables.Rows;
import java.time.LocalDate;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A column of vertices as it comes out of a query: as many numbers as {@link
 * ColumnTreatment#values} says, or a text.
 *
 * @param at its first column in the query
 */
record CellValues(SourceColumn column, Kind kind, int values, int at) {
  private static final long DAY = 86_400;

  /** What the query selects for it. */
  String select(Values sql) {
    String value = sql.value(column, kind);
    return kind == Kind.LIST
        ? IntStream.rangeClosed(1, values)
            .mapToObj(i -> "(" + value + ")[" + i + "]")
            .collect(Collectors.joining(", "))
        : value;
  }

  /** Columns that the query selects for it. */
  int selected() {
    return kind == Kind.LIST ? values : 1;
  }

  static String select(List<CellValues> columns, Values sql) {
    return columns.stream().map(c -> c.select(sql)).collect(Collectors.joining(", "));
  }

  /** The text of this row, or null. */
  @Nullable String text(Rows rows) {
    return rows.textAt(at);
  }

  /** The numbers of this row; false, and nothing is put, where there are none. */
  boolean numbers(Rows rows, double[] to) {
    double first = rows.doubleAt(at);
    if (Double.isNaN(first)) {
      return false;
    }
    if (kind == Kind.DATE) {
      date(first, to);
      return true;
    }
    to[0] = first;
    for (int i = 1; i < values; i++) {
      to[i] = rows.doubleAt(at + i);
    }
    return true;
  }

  /** The time itself, and the angles of month, day of the week and hour. */
  private static void date(double seconds, double[] to) {
    long whole = (long) Math.floor(seconds);
    LocalDate day = LocalDate.ofEpochDay(Math.floorDiv(whole, DAY));
    to[0] = seconds;
    angle((day.getMonthValue() - 1) / 12.0, to, 1);
    angle((day.getDayOfWeek().getValue() - 1) / 7.0, to, 3);
    angle(Math.floorMod(whole, DAY) / (double) DAY, to, 5);
  }

  private static void angle(double turn, double[] to, int at) {
    to[at] = Math.sin(2 * Math.PI * turn);
    to[at + 1] = Math.cos(2 * Math.PI * turn);
  }
}
