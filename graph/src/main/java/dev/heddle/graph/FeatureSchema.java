package dev.heddle.graph;

import java.util.List;

/**
 * What columns of features are called and what was done to them, so that a model finds the columns
 * it was trained on in another table.
 *
 * @param names by column; empty where columns have numbers alone
 * @param scaling what was done to rows
 */
public record FeatureSchema(List<String> names, FeatureScaling scaling) {
  /** Columns without names, as they came. */
  public static final FeatureSchema UNNAMED = new FeatureSchema(List.of(), FeatureScaling.NONE);

  /** What is known of features that a file says nothing of. */
  public static final FeatureSchema UNKNOWN = new FeatureSchema(List.of(), FeatureScaling.UNKNOWN);

  public FeatureSchema {
    names = List.copyOf(names);
  }

  public FeatureSchema withScaling(FeatureScaling value) {
    return new FeatureSchema(names, value);
  }
}
