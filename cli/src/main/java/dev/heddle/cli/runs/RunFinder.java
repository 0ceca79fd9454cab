package dev.heddle.cli.runs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The runs beneath a folder.
 *
 * @param read those whose files can be read, by name
 * @param unreadable why others cannot, a line each
 */
public record RunFinder(List<RunRecord> read, List<String> unreadable) {
  /** A comparison's runs are two folders down, in a folder of comparisons three. */
  private static final int DEPTH = 4;

  /** Looks for folders that hold what a run writes first. */
  public static RunFinder beneath(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new IllegalArgumentException(folder + ": no such folder");
    }
    List<RunRecord> read = new ArrayList<>();
    List<String> unreadable = new ArrayList<>();
    try (Stream<Path> all = Files.walk(folder, DEPTH + 1, FileVisitOption.FOLLOW_LINKS)) {
      List<Path> runs =
          all.filter(file -> file.endsWith("metrics.jsonl")).map(Path::getParent).sorted().toList();
      for (Path run : runs) {
        try {
          read.add(RunRecord.read(run));
        } catch (IllegalArgumentException e) {
          unreadable.add(String.valueOf(e.getMessage()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(folder + ": cannot be read: " + e.getMessage(), e);
    }
    return new RunFinder(List.copyOf(read), List.copyOf(unreadable));
  }

  /** How many there are, those that cannot be read among them. */
  public int count() {
    return read.size() + unreadable.size();
  }
}
