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
    lines.add(
        line("vertices", "%,d, of %,d rows", vertices, nodes)
            + (added == 0 ? "" : line("", ", and %,d that only edges name", added)));
    lines.add("ids        " + (whole ? "whole numbers" : "text"));
    if (labels != null) {
      String kind = labels.kind().name().toLowerCase(Locale.ROOT);
      lines.add(line("labels", "%s of %,d, %,d rows have one", kind, labels.width(), labelled));
    }
    if (split != null) {
      lines.add(
          line("split", "%,d for training, %,d for validation, %,d for testing",
              split.train().length, split.valid().length, split.test().length));
    }
    if (unknown > 0) {
      lines.add(line("unknown", "%,d cells of categories that no training row has: no feature", unknown));
    }
    lines.add(
        line("edges", "%,d read", edges.read())
            + dropped(edges.dangling(), "without a vertex")
            + dropped(edges.loops(), "from a vertex to itself"));
    lines.add(line("arcs", "%,d, %.1f into a vertex in the mean", edges.arcs(), edges.arcs() / (double) vertices));
    if (edges.negative() > 0) {
      lines.add(line("weights", "%,d are negative", edges.negative()));
    }
    if (!edges.types().isEmpty()) {
      lines.add(line("types", "%,d of edges", edges.types().size()));
    }
    lines.add(line("time", "%.1f s, %,.0f edges/s", seconds, edges.read() / seconds));
    return lines;
  }

  private static String dropped(long count, String why) {
    return count == 0 ? "" : String.format(Locale.ROOT, ", %,d dropped: %s", count, why);
  }

  private static String line(String name, String text, Object... values) {
    String padded = name.isEmpty() ? "" : String.format(Locale.ROOT, "%-10s ", name);
    return padded + String.format(Locale.ROOT, text, values);
  }
}
