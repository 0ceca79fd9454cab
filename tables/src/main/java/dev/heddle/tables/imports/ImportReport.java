package dev.heddle.tables.imports;

import dev.heddle.graph.Split;
import dev.heddle.graph.store.LabelInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What became of the rows of an import.
 *
 * @param nodes rows of vertices
 * @param added vertices that only edges name
 * @param whole whether ids are numbers
 * @param unknown cells whose category no training row had
 */
public record ImportReport(
    long nodes,
    long added,
    int vertices,
    boolean whole,
    @Nullable LabelInfo labels,
    long labelled,
    @Nullable Split split,
    long unknown,
    EdgeTable.Counts edges,
    double seconds) {

  /** For people. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    String more = added == 0 ? "" : ", and " + number(added) + " that only edges name";
    lines.add("vertices   " + number(vertices) + ", of " + number(nodes) + " rows" + more);
    lines.add("ids        " + (whole ? "whole numbers" : "text"));
    if (labels != null) {
      String kind = labels.kind().name().toLowerCase(Locale.ROOT);
      String width = kind + " of " + number(labels.width());
      lines.add("labels     " + width + ", " + number(labelled) + " rows have one");
    }
    if (split != null) {
      lines.add(
          "split      "
              + number(split.train().length)
              + " for training, "
              + number(split.valid().length)
              + " for validation, "
              + number(split.test().length)
              + " for testing");
    }
    if (unknown > 0) {
      lines.add("unknown    " + number(unknown) + " cells of categories that no training row has");
    }
    lines.add(
        "edges      "
            + number(edges.read())
            + " read"
            + dropped(edges.dangling(), "without a vertex")
            + dropped(edges.loops(), "from a vertex to itself"));
    double degree = edges.arcs() / (double) vertices;
    lines.add(
        "arcs       "
            + number(edges.arcs())
            + String.format(Locale.ROOT, ", %.1f into a vertex in the mean", degree));
    if (edges.negative() > 0) {
      lines.add("weights    " + number(edges.negative()) + " are negative");
    }
    if (!edges.types().isEmpty()) {
      lines.add("types      " + number(edges.types().size()) + " of edges");
    }
    long rate = Math.round(edges.read() / seconds);
    lines.add(String.format(Locale.ROOT, "time       %.1f s, %,d edges/s", seconds, rate));
    return lines;
  }

  private static String dropped(long count, String why) {
    return count == 0 ? "" : ", " + number(count) + " dropped: " + why;
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }
}
