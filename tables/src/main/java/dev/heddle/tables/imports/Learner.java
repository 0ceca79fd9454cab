package dev.heddle.tables.imports;

import dev.heddle.graph.ColumnTreatment;
import dev.heddle.graph.ColumnTreatment.Kind;
import dev.heddle.tables.Rows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;

/**
 * Learns of the training rows what one column needs to become features: means and deviations by
 * Welford's method, in the order of rows, and categories.
 */
final class Learner {
  private final CellValues cells;
  private final ImportSettings.FeatureSettings settings;
  private final double[] row;
  private final double[] means;
  private final double[] squares;
  private final TreeSet<String> categories = new TreeSet<>();
  private long count;
  private boolean gaps;

  Learner(CellValues cells, ImportSettings.FeatureSettings settings) {
    this.cells = cells;
    this.settings = settings;
    this.row = new double[cells.values()];
    this.means = new double[cells.values()];
    this.squares = new double[cells.values()];
  }

  /** Takes a training row. */
  void learn(Rows rows) {
    if (!cells.kind().numeric()) {
      String text = cells.text(rows);
      gaps |= text == null;
      if (text != null
          && cells.kind() == Kind.CATEGORY
          && categories.size() <= ColumnGuess.MOST_CATEGORIES) {
        categories.add(text);
      }
      return;
    }
    if (!cells.numbers(rows, row)) {
      gaps = true;
      return;
    }
    count++;
    for (int i = 0; i < row.length; i++) {
      double before = row[i] - means[i];
      means[i] += before / count;
      squares[i] += before * (row[i] - means[i]);
    }
  }

  /** What was learnt. */
  ColumnTreatment treatment() {
    boolean indicator = gaps && settings.missing() == ImportSettings.Missing.INDICATOR;
    Kind kind = cells.kind();
    if (kind.numeric()) {
      return numbers(kind, indicator);
    }
    // Many categories in training rows, whatever a look at all rows had said.
    boolean many = categories.size() > ColumnGuess.MOST_CATEGORIES;
    Kind learnt = kind == Kind.CATEGORY && (many || categories.isEmpty()) ? Kind.HASHED : kind;
    List<String> names = learnt == Kind.CATEGORY ? new ArrayList<>(categories) : List.of();
    int buckets = learnt == Kind.CATEGORY ? 0 : settings.buckets();
    return new ColumnTreatment(
        cells.column().name(),
        learnt,
        0,
        List.of(),
        List.of(),
        List.of(),
        indicator,
        names,
        buckets);
  }

  private ColumnTreatment numbers(Kind kind, boolean indicator) {
    int values = cells.values();
    boolean zero = settings.missing() == ImportSettings.Missing.ZERO;
    List<Double> fill = zero ? Collections.nCopies(values, 0.0) : boxed(means);
    boolean scaled = settings.standardise() && kind != Kind.BOOLEAN;
    double[] deviations = new double[values];
    for (int i = 0; i < values; i++) {
      double deviation = count == 0 ? 0 : Math.sqrt(squares[i] / count);
      // What does not vary stays as it is, less its mean.
      deviations[i] = deviation > 1e-12 * Math.max(1, Math.abs(means[i])) ? deviation : 1;
    }
    return new ColumnTreatment(
        cells.column().name(),
        kind,
        values,
        scaled ? boxed(means) : List.of(),
        scaled ? boxed(deviations) : List.of(),
        fill,
        indicator,
        List.of(),
        0);
  }

  private static List<Double> boxed(double[] values) {
    return Arrays.stream(values).boxed().toList();
  }
}
