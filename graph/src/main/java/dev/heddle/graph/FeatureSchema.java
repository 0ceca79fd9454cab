package dev.heddle.graph;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What columns of features are called and what was done to them, so that a model finds the columns
 * it was trained on in another table.
 *
 * @param names by column; empty where columns have numbers alone
 * @param scaling what was done to rows
 * @param treatment how columns of a table became these; null if they came otherwise
 */
public record FeatureSchema(
    List<String> names, FeatureScaling scaling, @Nullable Treatment treatment) {
  /** Columns without names, as they came. */
  public static final FeatureSchema UNNAMED = new FeatureSchema(List.of(), FeatureScaling.NONE);

  /** What is known of features that a file says nothing of. */
  public static final FeatureSchema UNKNOWN = new FeatureSchema(List.of(), FeatureScaling.UNKNOWN);

  public FeatureSchema {
    names = List.copyOf(names);
  }

  /** Columns that did not come from a table. */
  public FeatureSchema(List<String> names, FeatureScaling scaling) {
    this(names, scaling, null);
  }

  /** Columns of a table, named by what they came from. */
  public static FeatureSchema of(Treatment treatment) {
    return new FeatureSchema(treatment.featureNames(), FeatureScaling.NONE, treatment);
  }

  public FeatureSchema withScaling(FeatureScaling value) {
    return new FeatureSchema(names, value, treatment);
  }
}
