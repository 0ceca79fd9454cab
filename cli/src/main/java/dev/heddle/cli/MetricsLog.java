package dev.heddle.cli;

import dev.heddle.train.run.EpochReport;
import dev.heddle.train.run.Scores;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** A line of JSON for every epoch. */
final class MetricsLog implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();

  private final Path file;
  private final BufferedWriter out;

  /** A file that begins with the epochs a run has behind it. */
  MetricsLog(Path file, List<EpochReport> before) {
    this.file = file;
    try {
      out = Files.newBufferedWriter(file);
    } catch (IOException e) {
      throw unwritable(e);
    }
    before.forEach(this::add);
  }

  void add(EpochReport epoch) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("epoch", epoch.epoch());
    line.put("loss", epoch.loss());
    line.put("seconds", epoch.seconds());
    Scores scores = epoch.scores();
    if (scores != null) {
      put(line, "train", scores.train());
      put(line, "valid", scores.valid());
      put(line, "test", scores.test());
    }
    try {
      out.write(JSON.writeValueAsString(line));
      out.newLine();
      out.flush();
    } catch (IOException e) {
      throw unwritable(e);
    }
  }

  private UncheckedIOException unwritable(IOException e) {
    return new UncheckedIOException(file + ": cannot be written: " + e.getMessage(), e);
  }

  /** JSON has no NaN: the score of an empty part is left out. */
  private static void put(Map<String, Object> line, String key, double value) {
    if (!Double.isNaN(value)) {
      line.put(key, value);
    }
  }

  @Override
  public void close() {
    try {
      out.close();
    } catch (IOException e) {
      throw unwritable(e);
    }
  }
}
