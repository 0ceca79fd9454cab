package dev.heddle.cli;

import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.EpochReport;
import dev.heddle.train.TrainResult;
import dev.heddle.train.TrainSettings;
import dev.heddle.train.Training;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** What a training run came to: as a table for people, as one JSON object for programs. */
final class Summary {
  private final Map<String, Object> fields;
  private final String metric;
  private final TrainResult result;

  private Summary(Map<String, Object> fields, String metric, TrainResult result) {
    this.fields = fields;
    this.metric = metric;
    this.result = result;
  }

  static Summary of(Graph graph, Training training, TrainSettings settings, TrainResult result) {
    Map<String, Object> fields = new LinkedHashMap<>();
    Features features = graph.features();
    fields.put("heddle", "0.1.0-SNAPSHOT");
    fields.put(
        "graph",
        ordered(
            "nodes", graph.vertices(),
            "edges", graph.arcs(),
            "features", features == null ? 0 : features.width(),
            "classes", graph.classes()));
    ModelSpec spec = training.model().spec();
    fields.put(
        "model",
        ordered(
            "kind", spec.kind().label(),
            "layers", spec.layers(),
            "hidden", spec.hidden(),
            "parameters", training.model().parameters().count()));
    fields.put("engine", "local");
    fields.put("workers", 1);
    fields.put("threads", settings.threads());
    fields.put("seed", settings.seed());
    fields.put("epochs", result.epochs().size());
    List<Double> seconds = result.epochs().stream().map(EpochReport::seconds).sorted().toList();
    fields.put(
        "epochSeconds",
        ordered(
            "median", result.medianEpochSeconds(),
            "p95", seconds.get(Math.min(seconds.size() - 1, seconds.size() * 95 / 100))));
    fields.put("trainSeconds", seconds.stream().mapToDouble(Double::doubleValue).sum());
    fields.put("loss", result.loss());
    fields.put("metric", training.metric().name());
    fields.put("bestEpoch", result.bestEpoch());
    fields.put("train", finite(result.train()));
    fields.put("valid", finite(result.valid()));
    fields.put("test", finite(result.test()));
    Runtime vm = Runtime.getRuntime();
    fields.put(
        "peakMemoryBytes",
        ordered(
            "heap",
            vm.totalMemory() - vm.freeMemory(),
            "native",
            training.memoryBytes() + graph.memory().bytes(),
            "rss",
            ResidentMemory.peakBytes()));
    return new Summary(fields, training.metric().name(), result);
  }

  /** JSON has no NaN: a score of an empty part is left null. */
  private static @org.jspecify.annotations.Nullable Double finite(double value) {
    return Double.isNaN(value) ? null : value;
  }

  private static Map<String, Object> ordered(Object... pairs) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put((String) pairs[i], pairs[i + 1]);
    }
    return map;
  }

  String toJson() {
    return new JsonMapper().writeValueAsString(fields);
  }

  void print(PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "%-10s %8s%n%-10s %8.4f%n%-10s %8.4f%n%-10s %8.4f  (epoch %d of %d, best on valid)%n",
        "",
        metric,
        "train",
        result.train(),
        "valid",
        result.valid(),
        "test",
        result.test(),
        result.bestEpoch(),
        result.epochs().size());
    out.printf(
        Locale.ROOT,
        "%.1f ms an epoch, %.0f MB resident at the peak%n",
        1000 * result.medianEpochSeconds(),
        ResidentMemory.peakBytes() / 1e6);
  }
}
