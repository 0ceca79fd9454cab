package dev.heddle.graph;

import java.util.List;

/**
 * How the columns of a table of vertices became features: all that a table of other vertices needs
 * to be treated alike. What had to be learnt (means, deviations, categories) was learnt from
 * training vertices alone.
 *
 * @param columns in the order of the features they became
 */
public record Treatment(List<ColumnTreatment> columns) {
  public Treatment {
    columns = List.copyOf(columns);
  }

  /** Features of a vertex. */
  public int width() {
    return columns.stream().mapToInt(ColumnTreatment::width).sum();
  }

  /** What each feature is called: its column, and what of it. */
  public List<String> featureNames() {
    return columns.stream().flatMap(column -> column.featureNames().stream()).toList();
  }
}
