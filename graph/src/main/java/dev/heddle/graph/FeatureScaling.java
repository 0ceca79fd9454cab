package dev.heddle.graph;

import org.jspecify.annotations.Nullable;

/** What was done to feature rows before they came here. */
public enum FeatureScaling {
  /** Nothing: values are as in the table. */
  NONE("none"),

  /** Each row was divided by its sum ({@link Features#rowNormalised}). */
  ROW_SUM("row-sum"),

  /** Nobody has noted it: files of versions that did not say. */
  UNKNOWN("unknown");

  private final String label;

  FeatureScaling(String label) {
    this.label = label;
  }

  /** As it stands in files. */
  public String label() {
    return label;
  }

  /** The scaling of that label, or null. */
  public static @Nullable FeatureScaling named(String label) {
    for (FeatureScaling scaling : values()) {
      if (scaling.label.equals(label)) {
        return scaling;
      }
    }
    return null;
  }
}
