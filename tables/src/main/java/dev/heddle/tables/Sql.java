package dev.heddle.tables;

/** Names and texts of any kind inside SQL. */
public final class Sql {
  private Sql() {}

  /** A name of a table or column. */
  public static String name(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /** A text. */
  public static String text(String text) {
    return '\'' + text.replace("'", "''") + '\'';
  }
}
