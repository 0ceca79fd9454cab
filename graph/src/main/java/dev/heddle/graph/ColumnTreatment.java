package dev.heddle.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How one column of a table became features.
 *
 * @param kind what its values are
 * @param values numbers that a value is made of: 1, the length of a list, the parts of a date
 * @param means of these, subtracted, and in place of missing ones; empty where nothing is
 *     subtracted
 * @param deviations of these, divided by; empty where nothing is divided by
 * @param fill what stands for a missing value before the mean is subtracted, for each number
 * @param indicator whether a last feature is 1 where the value is missing
 * @param categories a feature each
 * @param buckets features that words or categories are hashed to
 */
public record ColumnTreatment(
    String name,
    Kind kind,
    int values,
    List<Double> means,
    List<Double> deviations,
    List<Double> fill,
    boolean indicator,
    List<String> categories,
    int buckets) {

  /** What the values of a column are. */
  public enum Kind {
    /** A number. */
    NUMBER,

    /** As many numbers in every row. */
    LIST,

    /** True or false. */
    BOOLEAN,

    /** A day, perhaps with a time: itself, and months, days of the week and hours as angles. */
    DATE,

    /** One of some texts, a feature each. */
    CATEGORY,

    /** One of many texts, hashed to a feature. */
    HASHED,

    /** Words, each hashed to a feature. */
    TEXT;

    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    public static @Nullable Kind named(String label) {
      return Arrays.stream(values()).filter(k -> k.label().equals(label)).findFirst().orElse(null);
    }

    public boolean numeric() {
      return this == NUMBER || this == LIST || this == BOOLEAN || this == DATE;
    }
  }

  private static final List<String> DATE_PARTS =
      List.of(
          "time", "month.sin", "month.cos", "weekday.sin", "weekday.cos", "hour.sin", "hour.cos");

  /** Numbers that a date is made of. */
  public static final int DATE_VALUES = DATE_PARTS.size();

  public ColumnTreatment {
    means = List.copyOf(means);
    deviations = List.copyOf(deviations);
    fill = List.copyOf(fill);
    categories = List.copyOf(categories);
  }

  /** Features that the column became. */
  public int width() {
    int own =
        switch (kind) {
          case NUMBER, LIST, BOOLEAN, DATE -> values;
          case CATEGORY -> categories.size();
          case HASHED, TEXT -> buckets;
        };
    return own + (indicator ? 1 : 0);
  }

  List<String> featureNames() {
    List<String> names =
        new ArrayList<>(
            switch (kind) {
              case NUMBER, BOOLEAN -> List.of(name);
              case DATE -> DATE_PARTS.stream().map(part -> name + "." + part).toList();
              case LIST -> numbered(values);
              case CATEGORY -> categories.stream().map(c -> name + "=" + c).toList();
              case HASHED, TEXT -> numbered(buckets);
            });
    if (indicator) {
      names.add(name + " missing");
    }
    return names;
  }

  private List<String> numbered(int count) {
    return IntStream.range(0, count).mapToObj(i -> name + "[" + i + "]").toList();
  }
}
