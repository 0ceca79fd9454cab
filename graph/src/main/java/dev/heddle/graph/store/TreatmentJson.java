package dev.heddle.graph.store;

import dev.heddle.graph.ColumnTreatment;
import dev.heddle.graph.GraphFormatException;
import dev.heddle.graph.Treatment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A {@link Treatment} in the manifest: a list of columns, numbers in full. */
final class TreatmentJson {
  private TreatmentJson() {}

  static String toText(Treatment treatment) {
    return treatment.columns().stream()
        .map(TreatmentJson::column)
        .collect(Collectors.joining(",\n    ", "[\n    ", "\n  ]"));
  }

  private static String column(ColumnTreatment column) {
    return "{ \"column\" : "
        + JsonText.quoted(column.name())
        + ", \"kind\" : "
        + JsonText.quoted(column.kind().label())
        + ", \"values\" : "
        + column.values()
        + ", \"means\" : "
        + column.means()
        + ", \"deviations\" : "
        + column.deviations()
        + ", \"fill\" : "
        + column.fill()
        + ", \"indicator\" : "
        + column.indicator()
        + ", \"categories\" : "
        + column.categories().stream()
            .map(JsonText::quoted)
            .collect(Collectors.joining(", ", "[", "]"))
        + ", \"buckets\" : "
        + column.buckets()
        + " }";
  }

  static @Nullable Treatment read(JsonFields root, Path file) {
    if (!root.has("treatment")) {
      return null;
    }
    List<ColumnTreatment> columns = new ArrayList<>();
    for (JsonFields node : root.objects("treatment")) {
      ColumnTreatment.Kind kind = ColumnTreatment.Kind.named(node.text("kind"));
      if (kind == null) {
        throw new GraphFormatException(
            file, "columns of kind '" + node.text("kind") + "' are unknown");
      }
      ColumnTreatment column =
          new ColumnTreatment(
              node.text("column"),
              kind,
              count(node, "values", file),
              node.reals("means"),
              node.reals("deviations"),
              node.reals("fill"),
              node.isTrue("indicator"),
              node.texts("categories"),
              count(node, "buckets", file));
      int values = column.values();
      if ((!column.means().isEmpty() && column.means().size() != values)
          || (!column.deviations().isEmpty() && column.deviations().size() != values)
          || (kind.numeric() && column.fill().size() != values)) {
        throw new GraphFormatException(
            file, "the treatment of column '" + column.name() + "' is not of its width");
      }
      columns.add(column);
    }
    return new Treatment(columns);
  }

  private static int count(JsonFields node, String name, Path file) {
    Long value = node.number(name);
    if (value == null || value < 0 || value > Integer.MAX_VALUE) {
      throw new GraphFormatException(file, "the treatment of a column lacks its \"" + name + "\"");
    }
    return value.intValue();
  }
}
