package dev.heddle.tables.imports;

import java.util.Locale;

/** What a source says a column holds. CSV says nothing: all of its columns are text. */
enum ColumnType {
  TEXT,
  WHOLE,
  REAL,
  BOOLEAN,
  TIME,
  LIST,

  /** Lists of texts. */
  TEXTS,

  /** What becomes no feature: structures, bytes, lists of lists. */
  OTHER;

  /** Of DuckDB's name of a type. */
  static ColumnType of(String type) {
    String name = type.toUpperCase(Locale.ROOT);
    if (name.endsWith("]")) {
      ColumnType element = of(name.substring(0, name.lastIndexOf('[')));
      return element == WHOLE || element == REAL ? LIST : element == TEXT ? TEXTS : OTHER;
    }
    String plain = name.replaceAll("\\(.*", "");
    return switch (plain) {
      case "VARCHAR", "UUID", "ENUM" -> TEXT;
      case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER" -> WHOLE;
      case "UBIGINT", "HUGEINT", "UHUGEINT", "FLOAT", "DOUBLE" -> REAL;
      case "DECIMAL" -> name.endsWith(",0)") ? WHOLE : REAL;
      case "BOOLEAN" -> BOOLEAN;
      case "DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS" -> TIME;
      case "TIMESTAMP WITH TIME ZONE" -> TIME;
      default -> OTHER;
    };
  }
}
