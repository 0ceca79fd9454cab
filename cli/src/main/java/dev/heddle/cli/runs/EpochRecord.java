package dev.heddle.cli.runs;

import tools.jackson.databind.JsonNode;

/**
 * A line of {@code metrics.jsonl}.
 *
 * @param epoch counted from 1
 * @param seconds that it took, evaluation aside
 * @param valid the metric on validation vertices; NaN where the epoch was not evaluated
 */
public record EpochRecord(int epoch, double loss, double seconds, double valid) {
  static EpochRecord of(JsonNode line) {
    return new EpochRecord(
        line.path("epoch").asInt(0),
        line.path("loss").asDouble(Double.NaN),
        line.path("seconds").asDouble(Double.NaN),
        line.path("valid").asDouble(Double.NaN));
  }

  boolean whole() {
    return epoch > 0 && !Double.isNaN(seconds);
  }

  public boolean evaluated() {
    return !Double.isNaN(valid);
  }
}
