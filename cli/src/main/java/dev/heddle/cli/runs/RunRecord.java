package dev.heddle.cli.runs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the folder of a run says: its epochs, and what it came to.
 *
 * @param summary {@code summary.json}; null while the run has not finished
 */
public record RunRecord(Path folder, List<EpochRecord> epochs, @Nullable JsonNode summary) {
  private static final JsonMapper JSON = new JsonMapper();

  /** What is sent for scores and not for training. */
  private static final String EVALUATION = "evaluation";

  /** Whether a run that ended well has left this folder. */
  public static boolean isFinished(Path folder) {
    return summaryOf(folder) != null;
  }

  /** Reads a folder, whose run may be going on. */
  public static RunRecord read(Path folder) {
    return new RunRecord(folder, epochs(folder.resolve("metrics.jsonl")), summaryOf(folder));
  }

  private static List<EpochRecord> epochs(Path file) {
    List<EpochRecord> epochs = new ArrayList<>();
    try (Stream<String> lines = Files.exists(file) ? Files.lines(file) : Stream.empty()) {
      for (String line : (Iterable<String>) lines::iterator) {
        EpochRecord epoch = EpochRecord.of(JSON.readTree(line));
        if (epoch.whole()) {
          epochs.add(epoch);
        }
      }
    } catch (JacksonException _) {
      // A line that is being written: the last one.
    } catch (IOException e) {
      throw new IllegalArgumentException(file + ": cannot be read (" + e.getMessage() + ")", e);
    }
    return epochs;
  }

  private static @Nullable JsonNode summaryOf(Path folder) {
    Path file = folder.resolve("summary.json");
    try {
      JsonNode read = Files.exists(file) ? JSON.readTree(Files.readString(file)) : null;
      return read != null && read.has("epochs") ? read : null;
    } catch (JacksonException e) {
      throw new IllegalArgumentException(file + ": is no summary of a run", e);
    } catch (IOException e) {
      throw new IllegalArgumentException(file + ": cannot be read (" + e.getMessage() + ")", e);
    }
  }

  /** A word of the summary; empty where there is none. */
  public String word(String pointer) {
    return summary == null ? "" : summary.at(pointer).asString("");
  }

  /** What was measured, as in {@code accuracy}. */
  public String metric() {
    return word("/metric");
  }

  /** A number of the summary, as in {@code /peakMemoryBytes/rss}; NaN where there is none. */
  public double number(String pointer) {
    return summary == null ? Double.NaN : summary.at(pointer).asDouble(Double.NaN);
  }

  /** The kinds of what was sent, those with nothing left out. */
  public Set<String> kinds() {
    Set<String> kinds = new TreeSet<>();
    if (summary != null) {
      summary.at("/sent/byKind").properties().stream()
          .filter(kind -> kind.getValue().path("bytes").asLong(0) > 0)
          .forEach(kind -> kinds.add(kind.getKey()));
    }
    return kinds;
  }

  /**
   * What was sent of a kind in an epoch, all workers together, in the mean.
   *
   * @param figure bytes or messages
   */
  public double sent(String kind, String figure) {
    return number("/sent/byKind/" + kind + "/" + figure) / number("/epochs");
  }

  /** What was sent in an epoch for training, in the mean: all kinds but evaluations. */
  public double sent(String figure) {
    return kinds().stream()
        .filter(kind -> !kind.equals(EVALUATION))
        .mapToDouble(kind -> sent(kind, figure))
        .sum();
  }

  /** The first epoch with a validation score as good as this; null if none is. */
  public @Nullable EpochRecord reaches(double score, boolean higherIsBetter) {
    return epochs.stream()
        .filter(EpochRecord::evaluated)
        .filter(epoch -> higherIsBetter ? epoch.valid() >= score : epoch.valid() <= score)
        .findFirst()
        .orElse(null);
  }

  /** Seconds of training up to the end of an epoch. */
  public double secondsUntil(int epoch) {
    return epochs.stream()
        .filter(each -> each.epoch() <= epoch)
        .mapToDouble(EpochRecord::seconds)
        .sum();
  }
}
