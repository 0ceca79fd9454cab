package dev.heddle.tables.imports;

import dev.heddle.graph.ColumnTreatment.Kind;
import dev.heddle.tables.Sql;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How a cell becomes a value, in SQL; the rules of docs/guide/tables.md. What is none of the kind
 * becomes NULL.
 */
final class Values {
  /** Digits, perhaps a point and an exponent: not 0x1p3, 1f, NaN, 1_000, nor one after a NUL. */
  private static final String NUMBER = "'[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?'";

  /** ISO 8601. */
  private static final String DATE =
      "'[0-9]{4}-[0-9]{2}-[0-9]{2}(["
          + " T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?'";

  private static final String TRUE = "('true', 'yes', 't', 'y', '1')";
  private static final String FALSE = "('false', 'no', 'f', 'n', '0')";

  private final boolean decimalComma;
  private final @Nullable String dateFormat;
  private final String missingWords;

  Values(ImportSettings.FeatureSettings settings) {
    decimalComma = settings.decimalComma();
    dateFormat = settings.dateFormat();
    missingWords =
        Stream.concat(Stream.of(""), settings.missingWords().stream().sorted())
            .map(Sql::text)
            .collect(Collectors.joining(", ", "(", ")"));
  }

  /** The cell, NULL where it is a word for nothing. */
  String present(SourceColumn column) {
    String c = column.sql();
    return column.type() == ColumnType.TEXT
        ? "(CASE WHEN trim(" + c + ") IN " + missingWords + " THEN NULL ELSE trim(" + c + ") END)"
        : c;
  }

  /** Whether a cell that is there is no value of that kind. */
  String wrong(SourceColumn column, Kind kind) {
    String value = value(column, kind);
    String fault =
        switch (kind) {
          case NUMBER ->
              value + " IS NULL OR NOT isfinite(" + value + ") OR abs(" + value + ") > 3e38";
          case LIST ->
              value
                  + " IS NULL OR len(list_filter("
                  + value
                  + ", lambda x: x IS NULL OR NOT isfinite(x) OR abs(x) > 3e38)) > 0";
          case BOOLEAN, DATE -> value + " IS NULL";
          case CATEGORY, HASHED, TEXT -> "false";
        };
    return "(" + present(column) + " IS NOT NULL AND (" + fault + "))";
  }

  /** A number, a list of numbers, seconds since 1970, 0 or 1, or a text. */
  String value(SourceColumn column, Kind kind) {
    String c = present(column);
    return switch (kind) {
      case NUMBER -> column.type() == ColumnType.TEXT ? number(c) : c + "::DOUBLE";
      case LIST ->
          column.type() == ColumnType.TEXT
              ? "TRY_CAST(" + c + " AS DOUBLE[])"
              : "CAST(" + c + " AS DOUBLE[])";
      case BOOLEAN ->
          column.type() == ColumnType.TEXT
              ? "(CASE WHEN lower("
                  + c
                  + ") IN "
                  + TRUE
                  + " THEN 1.0 WHEN lower("
                  + c
                  + ") IN "
                  + FALSE
                  + " THEN 0.0 END)::DOUBLE"
              : c + "::BOOLEAN::INTEGER::DOUBLE";
      case DATE -> seconds(column);
      case CATEGORY, HASHED, TEXT -> c + "::VARCHAR";
    };
  }

  private String number(String text) {
    String point = decimalComma ? "replace(" + text + ", ',', '.')" : text;
    return "(CASE WHEN regexp_full_match("
        + point
        + ", "
        + NUMBER
        + ") THEN TRY_CAST("
        + point
        + " AS DOUBLE) END)";
  }

  private String seconds(SourceColumn column) {
    String c = present(column);
    if (column.type() != ColumnType.TEXT) {
      return "epoch(" + c + "::TIMESTAMP)::DOUBLE";
    }
    if (dateFormat != null) {
      return "epoch(try_strptime(" + c + ", " + Sql.text(dateFormat) + "))::DOUBLE";
    }
    return "(CASE WHEN regexp_full_match("
        + c
        + ", "
        + DATE
        + ") THEN epoch(TRY_CAST("
        + c
        + " AS TIMESTAMPTZ)) END)::DOUBLE";
  }
}
