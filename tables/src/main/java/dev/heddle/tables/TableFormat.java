package dev.heddle.tables;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A kind of file that tables are written to, told by the end of its name. */
public enum TableFormat {
  PARQUET(".parquet", "FORMAT parquet, COMPRESSION zstd"),
  CSV(".csv", "FORMAT csv, HEADER"),
  CSV_GZ(".csv.gz", "FORMAT csv, HEADER, COMPRESSION gzip"),
  CSV_ZST(".csv.zst", "FORMAT csv, HEADER, COMPRESSION zstd"),
  TSV(".tsv", "FORMAT csv, HEADER, DELIMITER '\t'"),
  JSON_LINES(".jsonl", "FORMAT json");

  private final String end;
  final String options;

  TableFormat(String end, String options) {
    this.end = end;
    this.options = options;
  }

  /** The format of a file of that name, or null. */
  public static @Nullable TableFormat of(Path file) {
    String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
    return Arrays.stream(values()).filter(f -> name.endsWith(f.end)).findFirst().orElse(null);
  }

  /** The ends of names, for messages. */
  public static String ends() {
    return Arrays.stream(values()).map(f -> f.end).collect(Collectors.joining(", "));
  }
}
