package dev.heddle.graph.store;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the labels of a store mean.
 *
 * @param width classes, labels or values
 * @param names what each is called; empty where they have numbers alone
 */
public record LabelInfo(Kind kind, int width, List<String> names) {
  public LabelInfo {
    names = List.copyOf(names);
  }

  /** Without names. */
  public LabelInfo(Kind kind, int width) {
    this(kind, width, List.of());
  }

  LabelInfo named(List<String> value) {
    return new LabelInfo(kind, width, value);
  }

  /** The meanings. */
  public enum Kind {
    /** One class per vertex: an int, −1 for none. */
    CLASS,

    /** Any number of labels per vertex: floats of 0 and 1. */
    MULTI,

    /** Real values. */
    REAL;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    static @Nullable Kind named(String label) {
      return Arrays.stream(values()).filter(k -> k.label().equals(label)).findFirst().orElse(null);
    }
  }
}
