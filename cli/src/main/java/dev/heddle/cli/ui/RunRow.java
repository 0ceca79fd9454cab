package dev.heddle.cli.ui;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * What a run's folder says of it, without its epochs: one row of the page's table.
 *
 * @param id the folder's path below the catalogue's root
 * @param values settings as {@code run.yaml} names them, what {@code summary.json} adds under its
 *     own names with dots between, and the last epoch's numbers
 */
record RunRow(String id, RunState state, Map<String, Object> values) {
  static final String CONFIG = "run.yaml";
  static final String SUMMARY = "summary.json";
  static final String ENVIRONMENT = "environment.json";
  static final String METRICS = "metrics.jsonl";

  private static final String LOCK = ".lock";
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final JsonMapper JSON = new JsonMapper();

  /** Who has a run's folder. */
  enum Holder {
    /** This process, which trains. Its lock is left alone: closing a file gives up its locks. */
    OWN_RUNNING,
    /** This process, which has trained. */
    OWN_ENDED,
    /** Another process, or nobody: the lock says which. */
    ELSEWHERE
  }

  /** Reads a folder. */
  static RunRow read(Path folder, String id, Holder holder) throws IOException {
    Map<String, Object> values = new LinkedHashMap<>();
    flatten("", parse(folder.resolve(CONFIG)), values);
    JsonNode environment = parse(folder.resolve(ENVIRONMENT));
    if (environment != null && environment.has("time")) {
      values.put("started", environment.get("time").asString());
    }
    JsonNode last = Metrics.last(folder.resolve(METRICS));
    flatten("", last, values);
    JsonNode summary = parse(folder.resolve(SUMMARY));
    flatten("", summary, values);
    boolean running =
        switch (holder) {
          case OWN_RUNNING -> true;
          case OWN_ENDED -> false;
          case ELSEWHERE -> isLocked(folder.resolve(LOCK));
        };
    RunState state =
        running ? RunState.RUNNING : summary != null ? RunState.FINISHED : RunState.INTERRUPTED;
    return new RunRow(id, state, values);
  }

  /** A file's content; null where there is none. */
  private static @Nullable JsonNode parse(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      return null;
    }
    String text = Files.readString(file);
    try {
      return file.toString().endsWith(".yaml") ? YAML.readTree(text) : JSON.readTree(text);
    } catch (JacksonException e) {
      throw new IOException(file.getFileName() + ": " + e.getOriginalMessage(), e);
    }
  }

  /** Numbers, words and truth by name; lists are left to the run's own view. */
  private static void flatten(String prefix, @Nullable JsonNode node, Map<String, Object> into) {
    if (node == null || !node.isObject()) {
      return;
    }
    for (Map.Entry<String, JsonNode> property : node.properties()) {
      String name = prefix + property.getKey();
      JsonNode value = property.getValue();
      if (value.isObject()) {
        flatten(name + ".", value, into);
      } else if (value.isNumber()) {
        into.put(name, value.isIntegralNumber() ? value.asLong() : (Object) value.asDouble());
      } else if (value.isBoolean()) {
        into.put(name, value.asBoolean());
      } else if (value.isString()) {
        into.put(name, value.asString());
      }
    }
  }

  private static boolean isLocked(Path file) {
    if (!Files.exists(file)) {
      return false;
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        FileLock free = channel.tryLock(0, Long.MAX_VALUE, /* shared= */ true)) {
      return free == null;
    } catch (OverlappingFileLockException _) {
      return true;
    } catch (IOException _) {
      // Not ours to read, or gone: nobody is seen to hold it.
      return false;
    }
  }
}
