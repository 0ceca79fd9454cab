package dev.heddle.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Bytes that all workers send in an epoch, gradients of parameters included, and the memory of the
 * largest worker, by variant. They are those of dry runs, which are exact, so that nothing is
 * trained and nothing disturbs them.
 */
final class PipelineBytes {
  private final Options options;
  private final ResultFile file;
  private final Map<String, List<Double>> ratios = new LinkedHashMap<>();

  PipelineBytes(Options options) throws IOException {
    this.options = options;
    file =
        ResultFile.of(
            Path.of(options.word("csv", "bench/results")),
            "gnnpipe-bytes.csv",
            "graph,model,layers,hidden,workers,variant,boundary,halo,gradient,evaluation");
  }

  void print(List<PipelineCell> cells) throws IOException {
    System.out.println(
        "| graph | model | layers x hidden | workers | variant | MB/epoch"
            + " | of it parameters | fewer than graph | MB of the largest worker |");
    System.out.println("|---|---|---|---|---|---|---|---|---|");
    for (PipelineCell cell : cells) {
      print(cell);
    }
    System.out.println();
    ratios.forEach((variant, all) ->
        System.out.printf(
            Locale.ROOT,
            "%s: %.2f times fewer bytes in the geometric mean of %d cells, %.2f in the best%n",
            variant,
            Math.exp(all.stream().mapToDouble(Math::log).average().orElse(Double.NaN)),
            all.size(),
            all.stream().mapToDouble(r -> r).max().orElse(Double.NaN)));
  }

  private void print(PipelineCell cell) throws IOException {
    double baseline = Double.NaN;
    for (HaloVariant variant :
        PipelineVariants.named(cell.workers(), options.word("variants", ""))) {
      JsonNode plan = cell.planned(variant);
      JsonNode kinds = plan.get("epoch").get("byKind");
      long gradient = bytes(kinds, "gradient");
      long boundary = bytes(kinds, "boundary");
      long halo = bytes(kinds, "halo");
      double sent = (double) boundary + halo + gradient;
      long evaluation = bytes(plan.get("evaluation").get("byKind"), "evaluation");
      long memory =
          plan.get("workers")
              .valueStream()
              .mapToLong(w -> w.get("memory").get("bytes").asLong())
              .max()
              .orElse(0);
      file.add(
          List.of(
              cell.graphName(),
              cell.model(),
              cell.layers(),
              cell.hidden(),
              cell.workers(),
              '"' + variant.name() + '"',
              boundary,
              halo,
              gradient,
              evaluation));
      baseline = variant.name().equals(PipelineVariants.GRAPH) ? sent : baseline;
      double ratio = baseline / sent;
      if (!Double.isNaN(ratio)) {
        ratios.computeIfAbsent(variant.name(), _ -> new ArrayList<>()).add(ratio);
      }
      System.out.printf(
          Locale.ROOT,
          "| %s | %s | %d x %d | %d | %s | %.2f | %.2f | %.2f | %.0f |%n",
          cell.graphName(),
          cell.model(),
          cell.layers(),
          cell.hidden(),
          cell.workers(),
          variant.name(),
          sent / 1e6,
          gradient / 1e6,
          ratio,
          memory / 1e6);
    }
  }

  private static long bytes(JsonNode kinds, String kind) {
    return kinds.get(kind).get("bytes").asLong();
  }
}
