package dev.heddle.train.run;

import dev.heddle.nn.WeightFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A folder of checkpoints, of which the last few are kept: {@code epoch-000120.safetensors}.
 *
 * @param every epochs from one checkpoint to the next; 0 for none but the last
 * @param keep how many are kept
 * @param warnings is told in a line of each checkpoint that could not be used
 */
public record Checkpoints(Path folder, int every, int keep, Consumer<String> warnings) {
  private static final Pattern COMPANION = Pattern.compile("epoch-(\\d+)\\.rows-.*\\.safetensors");
  private static final Pattern NAME = Pattern.compile("epoch-(\\d{1,9})\\.safetensors");

  public Checkpoints {
    if (every < 0) {
      throw new IllegalArgumentException("checkpoint-every must not be negative, but is " + every);
    }
    if (keep < 1) {
      throw new IllegalArgumentException("keep must be at least 1, not " + keep);
    }
  }

  public boolean due(int epoch) {
    return every > 0 && epoch % every == 0;
  }

  /** Writes a checkpoint and removes the ones it replaces. */
  public void write(Checkpoint checkpoint, History history) {
    try {
      Files.createDirectories(folder);
      String name = String.format(Locale.ROOT, "epoch-%06d.safetensors", history.epochs());
      checkpoint.write(folder.resolve(name), history);
      for (Path old : newestFirst().stream().skip(keep).toList()) {
        Files.deleteIfExists(old);
      }
      removeCompanionsOfNone();
    } catch (IOException e) {
      throw new CheckpointException(folder, "cannot be written: " + e.getMessage(), e);
    }
  }

  /** Removes what workers have put beside checkpoints that are not there, or not any more. */
  private void removeCompanionsOfNone() throws IOException {
    for (Path file : list()) {
      Matcher name = COMPANION.matcher(file.getFileName().toString());
      if (name.matches()
          && !Files.exists(folder.resolve("epoch-" + name.group(1) + ".safetensors"))) {
        Files.deleteIfExists(file);
      }
    }
  }

  /**
   * Goes on from the newest checkpoint that is whole; one that is damaged is passed over with a
   * warning, one of another run is refused.
   *
   * @return the file, or null if there is no checkpoint
   */
  public @Nullable Path restore(Checkpoint checkpoint, History history) {
    removeUnfinished();
    List<Path> files = newestFirst();
    for (Path file : files) {
      try {
        checkpoint.read(file, history);
        return file;
      } catch (WeightFileException e) {
        warnings.accept(e.getMessage() + "; taking the one before");
      }
    }
    if (!files.isEmpty()) {
      throw new CheckpointException(folder, "has no checkpoint that is whole");
    }
    return null;
  }

  /** What a killed process left behind. */
  private void removeUnfinished() {
    try {
      for (Path file : list()) {
        if (file.toString().endsWith(".tmp")) {
          Files.deleteIfExists(file);
        }
      }
    } catch (IOException e) {
      throw new CheckpointException(folder, "cannot be written: " + e.getMessage(), e);
    }
  }

  private List<Path> newestFirst() {
    return list().stream()
        .filter(file -> epoch(file) > 0)
        .sorted(Comparator.comparingInt(Checkpoints::epoch).reversed())
        .toList();
  }

  private List<Path> list() {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    } catch (IOException e) {
      throw new CheckpointException(folder, "cannot be read: " + e.getMessage(), e);
    }
  }

  /** The epoch that a file's name tells; 0 where it tells none. */
  static int epoch(Path file) {
    Matcher name = NAME.matcher(file.getFileName().toString());
    return name.matches() ? Integer.parseInt(name.group(1)) : 0;
  }
}
