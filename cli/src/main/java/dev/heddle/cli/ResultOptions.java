package dev.heddle.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say where results of vertices go. */
final class ResultOptions {
  @Option(
      names = "--out",
      required = true,
      description = {
        "File, whose ending says what it is: .parquet, .csv (also .gz, .zst), .tsv, .jsonl: a row",
        "with the id of every vertex; .npy: numbers alone, in the order of the ids as they were",
        "imported, which stand in <file>.ids.txt."
      })
  private Path out = Path.of("results.csv");

  @Option(
      names = "--format",
      description = "What the file is, whatever it is called: ${COMPLETION-CANDIDATES}.")
  private @Nullable ResultFormat format;

  Path out() {
    return out;
  }

  /** The folder of the file. */
  Path folder() {
    return Objects.requireNonNull(out.toAbsolutePath().getParent());
  }

  /** Refuses a place that cannot be written before anything is computed. */
  ResultFormat format() {
    ResultFormat known = format == null ? ResultFormat.of(out) : format;
    Path parent = out.toAbsolutePath().getParent();
    if (Files.isDirectory(out) || parent == null || !Files.isDirectory(parent)) {
      throw new InputException(out + ": is a folder, or its folder does not exist");
    }
    if (!Files.isWritable(parent)) {
      throw new InputException(out + ": cannot be written (permission denied)");
    }
    return known;
  }
}
