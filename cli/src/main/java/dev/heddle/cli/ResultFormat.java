package dev.heddle.cli;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The kinds of files that results of vertices are written to, told by the ends of their names. */
enum ResultFormat {
  CSV(".csv"),
  CSV_GZ(".csv.gz"),
  CSV_ZST(".csv.zst"),
  TSV(".tsv"),
  PARQUET(".parquet"),
  JSONL(".jsonl"),
  NPY(".npy");

  private final String end;

  ResultFormat(String end) {
    this.end = end;
  }

  /** What names of such files end in. */
  String end() {
    return end;
  }

  /** Whether a column may hold a list. */
  boolean nests() {
    return this == PARQUET || this == JSONL;
  }

  /** The format of a file. */
  static ResultFormat of(Path file) {
    String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
    @Nullable ResultFormat format =
        Arrays.stream(values()).filter(f -> name.endsWith(f.end)).findFirst().orElse(null);
    if (format == null) {
      throw new InputException(
          "--out must end in "
              + Arrays.stream(values()).map(f -> f.end).collect(Collectors.joining(", "))
              + ", unlike "
              + file
              + ", or --format say which it is");
    }
    return format;
  }

  /** The name users write. */
  @Override
  public String toString() {
    return end.substring(1);
  }
}
