package dev.heddle.tables.imports;

import dev.heddle.tables.DuckDb;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A table as it is given: one file or several with the same columns, or a query of a database. */
final class Source {
  private final String role;
  private final List<Part> parts;

  private Source(String role, List<Part> parts) {
    this.role = role;
    this.parts = parts;
  }

  /**
   * Opens what the user named.
   *
   * @param role what the table is for, in messages and names: nodes or edges
   */
  static Source open(DuckDb db, String role, TableSettings settings) {
    List<Part> parts =
        settings.query() != null
            ? List.of(new JdbcQuery(db, role, settings).copied())
            : new SourceFiles(db, role, settings).parts();
    Part first = parts.getFirst();
    Problems problems = new Problems();
    for (Part part : parts) {
      requireAlike(first, part, problems);
    }
    problems.check();
    return new Source(role, parts);
  }

  private static void requireAlike(Part first, Part part, Problems problems) {
    if (part.columns().equals(first.columns())) {
      return;
    }
    for (SourceColumn column : first.columns()) {
      SourceColumn other =
          part.columns().stream()
              .filter(c -> c.name().equals(column.name()))
              .findFirst()
              .orElse(null);
      if (other == null) {
        problems.add(
            part.name(), "there is no column '" + column.name() + "', unlike in " + first.name());
      } else if (other.type() != column.type()) {
        problems.add(
            part.name(),
            "column '"
                + column.name()
                + "' is "
                + word(other.type())
                + ", but "
                + word(column.type())
                + " in "
                + first.name());
      }
    }
    if (problems.none()) {
      problems.add(part.name(), "its columns are not those of " + first.name() + " in their order");
    }
  }

  private static String word(ColumnType type) {
    return type.name().toLowerCase(Locale.ROOT);
  }

  String role() {
    return role;
  }

  List<Part> parts() {
    return parts;
  }

  /** What all parts are called, for messages about the table as a whole. */
  String name() {
    int more = parts.size() - 1;
    return parts.getFirst().name() + (more == 0 ? "" : " and " + more + " more");
  }

  List<SourceColumn> columns() {
    return parts.getFirst().columns();
  }

  /** The column of that name, or null. */
  @Nullable SourceColumn find(String name) {
    return columns().stream().filter(c -> c.name().equals(name)).findFirst().orElse(null);
  }

  /** The first column that is called like one of these, in whatever case; or null. */
  @Nullable SourceColumn findLike(List<String> names) {
    for (String name : names) {
      for (SourceColumn column : columns()) {
        if (column.name().toLowerCase(Locale.ROOT).equals(name)) {
          return column;
        }
      }
    }
    return null;
  }

  /** The column that the user named; without it nothing goes on. */
  SourceColumn require(String name, String option) {
    SourceColumn column = find(name);
    if (column == null) {
      throw missing("there is no column '" + name + "'", option);
    }
    return column;
  }

  ImportException missing(String fault, String option) {
    String names = columns().stream().map(SourceColumn::name).collect(Collectors.joining(", "));
    return Problems.of(name(), fault + "; there are " + names + ": say " + option);
  }

  /** Rows of all parts, roughly. */
  long rows() {
    return parts.stream().mapToLong(part -> Math.max(0, part.rows())).sum();
  }

  /** All parts in a query, one after another. */
  String relation() {
    return parts.stream()
        .map(part -> "SELECT * FROM " + part.relation())
        .collect(Collectors.joining(" UNION ALL ", "(", ")"));
  }
}
