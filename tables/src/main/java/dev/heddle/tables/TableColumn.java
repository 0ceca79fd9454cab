package dev.heddle.tables;

/** A column of a table that is written. */
public record TableColumn(String name, Type type) {
  /** What a column holds. */
  public enum Type {
    TEXT("VARCHAR"),
    INT("INTEGER"),
    LONG("BIGINT"),
    FLOAT("FLOAT"),
    DOUBLE("DOUBLE"),
    BOOLEAN("BOOLEAN"),

    /** A list of floats, in CSV as {@code [1.0, 2.0]}. */
    FLOATS("FLOAT[]");

    final String sql;

    Type(String sql) {
      this.sql = sql;
    }
  }

  String declaration() {
    return Sql.name(name) + " " + type.sql;
  }
}
