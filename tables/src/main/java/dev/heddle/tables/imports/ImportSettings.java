package dev.heddle.tables.imports;

import dev.heddle.graph.ColumnTreatment;
import dev.heddle.graph.Treatment;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the user says of tables; null, empty or {@link #GUESS} leaves it to a guess.
 *
 * @param nodes the table of vertices; null to take those that edges name
 */
public record ImportSettings(
    @Nullable TableSettings nodes,
    TableSettings edges,
    NodeColumns nodeColumns,
    EdgeColumns edgeColumns,
    FeatureSettings features,
    SplitSettings split,
    EdgeRules rules) {
  /** A column that is to be guessed. */
  public static final String GUESS = "";

  /** A column that is not to be taken, whatever it is called. */
  public static final String NONE = "none";

  /** What the labels are. */
  public enum Task {
    CLASS,
    MULTI,
    NUMBER
  }

  /**
   * Columns of the vertices.
   *
   * @param labels several are several labels, or several numbers
   * @param task null to guess
   * @param classNames what classes are numbered by; null to take those that the labels name
   */
  public record NodeColumns(
      String id,
      List<String> labels,
      String split,
      @Nullable Task task,
      @Nullable List<String> classNames) {
    public static final NodeColumns GUESSED = new NodeColumns(GUESS, List.of(), GUESS, null, null);
  }

  /** Columns of the edges. */
  public record EdgeColumns(String source, String target, String weight, String type, String time) {
    public static final EdgeColumns GUESSED = new EdgeColumns(GUESS, GUESS, GUESS, GUESS, GUESS);
  }

  /** What stands for a value that is missing. */
  public enum Missing {
    /** Nothing: it is refused. */
    ERROR,

    /** The mean of training rows; for texts, no feature at all. */
    MEAN,
    ZERO,

    /** As {@link #MEAN}, and a feature that says so. */
    INDICATOR
  }

  /**
   * How columns become features.
   *
   * @param kinds of columns that are not to be guessed
   * @param skipped columns that are no features
   * @param missingWords what stands for nothing beside the empty text
   * @param buckets features that words, or texts of a column with many, are hashed to
   * @param rowNormalise whether rows are divided by their sums, or by 1 where that is less
   * @param like what another import learnt; null to learn
   */
  public record FeatureSettings(
      Map<String, ColumnTreatment.Kind> kinds,
      Set<String> skipped,
      Missing missing,
      Set<String> missingWords,
      boolean standardise,
      int buckets,
      boolean decimalComma,
      @Nullable String dateFormat,
      boolean rowNormalise,
      @Nullable Treatment like) {
    public static final FeatureSettings GUESSED =
        new FeatureSettings(
            Map.of(),
            Set.of(),
            Missing.INDICATOR,
            Set.of("NA", "N/A", "null", "NULL", "None"),
            true,
            64,
            false,
            null,
            false,
            null);

    /** Treated as another table was. */
    public FeatureSettings like(@Nullable Treatment value) {
      return new FeatureSettings(
          kinds,
          skipped,
          missing,
          missingWords,
          standardise,
          buckets,
          decimalComma,
          dateFormat,
          rowNormalise,
          value);
    }
  }

  /**
   * Which rows are for training where no column says so.
   *
   * @param train share of the labelled rows
   * @param valid share of them
   * @param time column by which the earliest are for training and the latest for testing; null to
   *     draw
   */
  public record SplitSettings(double train, double valid, @Nullable String time, long seed) {
    public static final SplitSettings USUAL = new SplitSettings(0.6, 0.2, null, 0);
  }

  /** What becomes of an edge whose end is not in the table of vertices. */
  public enum MissingNode {
    ERROR,
    DROP,
    ADD
  }

  /** What becomes of edges. */
  public record EdgeRules(
      boolean directed,
      boolean deduplicate,
      boolean dropSelfLoops,
      boolean negativeWeights,
      MissingNode missingNode) {
    public static final EdgeRules USUAL =
        new EdgeRules(false, false, false, false, MissingNode.ERROR);
  }
}
