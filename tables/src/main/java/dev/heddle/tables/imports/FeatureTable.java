package dev.heddle.tables.imports;

import dev.heddle.graph.ColumnTreatment;
import dev.heddle.graph.ColumnTreatment.Kind;
import dev.heddle.graph.RowSum;
import dev.heddle.graph.Treatment;
import dev.heddle.graph.store.ArrayWriter;
import dev.heddle.graph.store.Names;
import dev.heddle.graph.store.StoreDraft;
import dev.heddle.kernel.Matrix;
import dev.heddle.tables.DuckDb;
import dev.heddle.tables.Rows;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The columns that become features: checked, learnt from in one pass over the rows, and written in
 * another.
 */
final class FeatureTable {
  private final DuckDb db;
  private final NodeTable nodes;
  private final Values values;
  private final ImportSettings.FeatureSettings settings;
  private final List<CellValues> cells = new ArrayList<>();

  FeatureTable(DuckDb db, NodeTable nodes, Values values, ImportSettings.FeatureSettings settings) {
    this.db = db;
    this.nodes = nodes;
    this.values = values;
    this.settings = settings;
  }

  /** Takes the columns that are features; cells that are none of their kind are problems. */
  void check(List<ColumnGuess> guesses, Problems problems) {
    int at = 0;
    for (ColumnGuess guess : guesses) {
      Kind kind = guess.kind();
      if (kind == null) {
        continue;
      }
      check(guess, kind, problems);
      int width =
          switch (kind) {
            case NUMBER, BOOLEAN -> 1;
            case DATE -> ColumnTreatment.DATE_VALUES;
            case LIST ->
                ListWidth.of(
                    db, nodes, guess.column(), values.value(guess.column(), kind), problems);
            case CATEGORY, HASHED, TEXT -> 0;
          };
      CellValues cell = new CellValues(guess.column(), kind, width, at);
      cells.add(cell);
      at += cell.selected();
    }
  }

  private void check(ColumnGuess guess, Kind kind, Problems problems) {
    SourceColumn column = guess.column();
    String place = ", column '" + column.name() + "'";
    String wrong = values.wrong(column, kind);
    if (db.number("SELECT count(*) FROM " + nodes.cells() + " WHERE " + wrong) > 0) {
      nodes.faults(
          "SELECT row, text FROM (SELECT "
              + NodeTable.rowNumber()
              + " AS row, "
              + column.sql()
              + "::VARCHAR AS text, "
              + wrong
              + " AS wrong FROM "
              + nodes.cells()
              + ") WHERE wrong LIMIT ",
          (at, text) -> problems.add(at + place, "'" + text + "' is " + not(kind, column.name())));
    }
    if (guess.missing() > 0 && settings.missing() == ImportSettings.Missing.ERROR) {
      nodes.faults(
          "SELECT row, '' FROM (SELECT "
              + NodeTable.rowNumber()
              + " AS row, "
              + values.present(column)
              + " AS text FROM "
              + nodes.cells()
              + ") WHERE text IS NULL LIMIT ",
          (at, text) ->
              problems.add(
                  at + place,
                  "no value: --missing mean, zero or indicator says what stands for it"));
    }
  }

  private static String not(Kind kind, String name) {
    String others = ": --feature " + name + "=category, --skip " + name + " or --missing-words";
    return switch (kind) {
      case NUMBER -> "not a finite number" + others + " (or --decimal-comma)";
      case BOOLEAN -> "neither true, yes, t, y, 1 nor false, no, f, n, 0" + others;
      case DATE ->
          "not a date like 2024-12-31 or 2024-12-31T23:59:59" + others + " (or --date-format)";
      case LIST -> "not a list of finite numbers" + others;
      case CATEGORY, HASHED, TEXT -> "no text" + others;
    };
  }

  boolean isEmpty() {
    return cells.isEmpty();
  }

  /** What training rows teach. */
  Treatment learn(BitSet training, ImportProgress progress) {
    List<Learner> learners = cells.stream().map(cell -> new Learner(cell, settings)).toList();
    try (Rows rows = db.query(select())) {
      for (int v = 0; rows.next(); v++) {
        if (training.get(v)) {
          for (Learner learner : learners) {
            learner.learn(rows);
          }
        }
        progress.at(v + 1L);
      }
    }
    return new Treatment(learners.stream().map(Learner::treatment).toList());
  }

  private String select() {
    return "SELECT " + CellValues.select(cells, values) + " FROM " + nodes.cells();
  }

  /**
   * Writes the features of all vertices; those without a row are like one whose cells are all
   * empty.
   *
   * @return cells whose category no training row had
   */
  long write(StoreDraft draft, Treatment treatment, int vertices, ImportProgress progress) {
    int width = treatment.width();
    List<ColumnEncoder> encoders = new ArrayList<>();
    int first = 0;
    for (int i = 0; i < cells.size(); i++) {
      ColumnTreatment column = treatment.columns().get(i);
      encoders.add(new ColumnEncoder(cells.get(i), column, first));
      first += column.width();
    }
    float[] row = new float[Matrix.strideOf(width)];
    MemorySegment bytes = MemorySegment.ofArray(row);
    try (ArrayWriter writer = draft.matrix(Names.FEATURES, width);
        Rows rows = db.query(select())) {
      boolean more = true;
      for (int v = 0; v < vertices; v++) {
        more = more && rows.next();
        Arrays.fill(row, 0);
        for (ColumnEncoder encoder : encoders) {
          encoder.encode(more ? rows : null, row);
        }
        if (settings.rowNormalise()) {
          RowSum.divide(bytes, 0, width);
        }
        writer.write(bytes, 0, bytes.byteSize());
        progress.at(v + 1L);
      }
      if (more && rows.next()) {
        throw new IllegalStateException("more rows of features than vertices");
      }
      writer.finish();
    }
    return encoders.stream().mapToLong(ColumnEncoder::unknown).sum();
  }

  /** What a treatment that was learnt elsewhere says of columns, as if it had been guessed. */
  static List<ColumnGuess> like(Treatment treatment, Source source, List<ColumnGuess> guesses) {
    List<ColumnGuess> alike = new ArrayList<>();
    Problems problems = new Problems();
    for (ColumnTreatment column : treatment.columns()) {
      ColumnGuess guess = find(guesses, column.name());
      if (guess == null) {
        problems.add(
            source.name(), "there is no column '" + column.name() + "', which --like needs");
      } else {
        alike.add(
            new ColumnGuess(guess.column(), column.kind(), guess.missing(), "as --like says"));
      }
    }
    problems.check();
    for (ColumnGuess guess : guesses) {
      if (find(alike, guess.column().name()) == null) {
        alike.add(new ColumnGuess(guess.column(), null, guess.missing(), "not in --like"));
      }
    }
    return alike;
  }

  private static @Nullable ColumnGuess find(List<ColumnGuess> guesses, String name) {
    return guesses.stream().filter(g -> g.column().name().equals(name)).findFirst().orElse(null);
  }

  /** Lists must be as long as those that were learnt from. */
  void requireWidths(Treatment treatment, Problems problems) {
    for (int i = 0; i < cells.size(); i++) {
      int learnt = treatment.columns().get(i).values();
      if (cells.get(i).values() != learnt) {
        problems.add(
            "column '" + cells.get(i).column().name() + "'",
            "lists of " + cells.get(i).values() + " where --like has " + learnt);
      }
    }
  }
}
