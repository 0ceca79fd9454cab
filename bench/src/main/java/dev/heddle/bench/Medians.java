package dev.heddle.bench;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Times of repeated runs. */
final class Medians {
  private Medians() {}

  static double of(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    return sorted.get(sorted.size() / 2);
  }

  /** The seconds in a peer's answer. */
  static List<Double> seconds(JsonNode answer) {
    List<Double> seconds = new ArrayList<>();
    answer.get("seconds").forEach(s -> seconds.add(s.asDouble()));
    return seconds;
  }
}
