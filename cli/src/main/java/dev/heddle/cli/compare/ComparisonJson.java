package dev.heddle.cli.compare;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** A comparison as one JSON object for programs; its names are a contract, in docs/summary.md. */
public final class ComparisonJson {
  private ComparisonJson() {}

  /** One line. */
  public static String of(Comparison comparison, String heddle) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("heddle", heddle);
    fields.put("graph", comparison.graph());
    fields.put("seeds", comparison.seeds());
    fields.put("metric", comparison.metric());
    Map<String, Object> target = new LinkedHashMap<>();
    target.put("score", finite(comparison.target().score()));
    target.put("from", comparison.target().said());
    fields.put("target", target);
    fields.put("variants", comparison.results().stream().map(r -> of(comparison, r)).toList());
    return new JsonMapper().writeValueAsString(fields);
  }

  private static Map<String, Object> of(Comparison comparison, VariantResult result) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", result.name());
    fields.put("varied", result.variant().varied());
    fields.put("failure", result.failure());
    fields.put("folders", result.runs().stream().map(run -> run.folder().toString()).toList());
    for (String part : List.of("train", "valid", "test")) {
      Sample score = result.score(part);
      Map<String, Object> both = new LinkedHashMap<>();
      both.put("mean", finite(score.mean()));
      both.put("deviation", finite(score.deviation()));
      fields.put(part, both);
    }
    Sample seconds = result.epochSeconds();
    Map<String, Object> spread = new LinkedHashMap<>();
    spread.put("median", finite(seconds.median()));
    spread.put("p10", finite(seconds.quantile(0.1)));
    spread.put("p90", finite(seconds.quantile(0.9)));
    fields.put("epochSeconds", spread);
    fields.put("bytesPerEpoch", finite(result.sent("bytes")));
    fields.put("messagesPerEpoch", finite(result.sent("messages")));
    fields.put("byKind", byKind(result));
    Sample epochs = result.epochsTo(comparison.target());
    Map<String, Object> target = new LinkedHashMap<>();
    target.put("runs", epochs.sorted().size());
    target.put("epochs", finite(epochs.median()));
    target.put("seconds", finite(result.secondsTo(comparison.target()).median()));
    fields.put("toTarget", target);
    Map<String, Object> memory = new LinkedHashMap<>();
    for (String kind : List.of("heap", "native", "rss")) {
      memory.put(kind, finite(result.peakBytes(kind)));
    }
    fields.put("peakMemoryBytes", memory);
    return fields;
  }

  private static Map<String, Object> byKind(VariantResult result) {
    Map<String, Object> byKind = new LinkedHashMap<>();
    for (String kind : result.kinds()) {
      Map<String, Object> amounts = new LinkedHashMap<>();
      amounts.put("bytes", finite(result.sent(kind, "bytes")));
      amounts.put("messages", finite(result.sent(kind, "messages")));
      byKind.put(kind, amounts);
    }
    return byKind;
  }

  /** JSON has no NaN. */
  private static @Nullable Double finite(double value) {
    return Double.isFinite(value) ? value : null;
  }
}
