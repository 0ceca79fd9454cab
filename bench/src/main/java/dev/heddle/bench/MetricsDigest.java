package dev.heddle.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One digest of a {@code metrics.jsonl}: of all that its lines say but for times. */
final class MetricsDigest {
  private static final JsonMapper JSON = new JsonMapper();
  private static final List<String> KEYS = List.of("epoch", "loss", "train", "valid", "test");

  private MetricsDigest() {}

  static BitsDigest of(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    if (lines.isEmpty()) {
      throw new IOException(file + ": has no epochs");
    }
    MessageDigest digest = BitsDigest.sha256();
    for (String line : lines) {
      digest.update(values(file, line).getBytes(StandardCharsets.UTF_8));
    }
    return new BitsDigest("", lines.size() + " epochs", BitsDigest.hex(digest));
  }

  private static String values(Path file, String line) throws IOException {
    JsonNode epoch;
    try {
      epoch = JSON.readTree(line);
    } catch (JacksonException e) {
      throw new IOException(file + ": holds a line that is no JSON: " + line, e);
    }
    StringBuilder values = new StringBuilder();
    for (String key : KEYS) {
      values.append(bits(epoch.path(key))).append(' ');
    }
    return values.append('\n').toString();
  }

  /** Of a number, however it is written; what is not finite is written as a word. */
  private static String bits(JsonNode value) {
    return value.isNumber()
        ? Long.toHexString(Double.doubleToLongBits(value.asDouble()))
        : value.toString();
  }
}
