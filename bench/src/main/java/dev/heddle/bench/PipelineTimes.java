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
 * Seconds of an epoch over links on which parts of the graph communicate for a share of their
 * epoch, by variant: workers are processes, one thread each.
 *
 * <p>Where there are fewer cores than workers, stages that wait cost nothing, and the figure hides
 * what a pipeline loses by being filled and emptied. So the makespan is computed too, from what
 * each stage takes for a chunk alone, {@code Σ c + (S − 1) m + (K − 1) max(c, m)}, m being the time
 * of a chunk's rows there and back on a link.
 *
 * <p>Options: {@code --epochs} timed, {@code --share} in percent, {@code --link} instead of it.
 */
final class PipelineTimes {
  private final Options options;
  private final ResultFile file;
  private final Map<String, List<Double>> faster = new LinkedHashMap<>();
  private final Map<String, List<Double>> waiting = new LinkedHashMap<>();

  PipelineTimes(Options options) throws IOException {
    this.options = options;
    file =
        ResultFile.of(
            Path.of(options.word("csv", "bench/results")),
            "gnnpipe-times.csv",
            "graph,model,layers,hidden,workers,link,variant,seconds,bytes,waited,idle,makespan");
  }

  void print(List<PipelineCell> cells) throws IOException {
    System.out.println(
        "| graph | model | layers x hidden | workers | link | variant | s/epoch"
            + " | MB/epoch | s waited for rows and sums | idle | makespan, computed | over graph |");
    System.out.println("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (PipelineCell cell : cells) {
      print(cell);
    }
    System.out.println();
    mean("times faster than graph", faster);
    mean("times less waiting than graph", waiting);
  }

  private void print(PipelineCell cell) throws IOException {
    int epochs = options.number("epochs", 5);
    String known = options.word("link", "");
    String link =
        known.isEmpty() ? cell.calibrate(epochs, 0.01 * options.number("share", 70)) : known;
    double seconds = Double.NaN;
    double waited = Double.NaN;
    for (HaloVariant variant :
        PipelineVariants.named(cell.workers(), options.word("variants", "graph;layers;hybrid"))) {
      HeddleRun run = cell.timed(variant, epochs, link);
      double took = run.epochSeconds();
      double exposed = run.exposedSeconds();
      if (variant.name().equals(PipelineVariants.GRAPH)) {
        seconds = took;
        waited = exposed;
      } else if (!Double.isNaN(seconds)) {
        faster.computeIfAbsent(variant.name(), _ -> new ArrayList<>()).add(seconds / took);
        waiting.computeIfAbsent(variant.name(), _ -> new ArrayList<>()).add(waited / exposed);
      }
      double makespan =
          variant.name().startsWith(PipelineVariants.LAYERS)
              ? makespan(run, megabits(link))
              : Double.NaN;
      file.add(
          List.of(
              cell.graphName(),
              cell.model(),
              cell.layers(),
              cell.hidden(),
              cell.workers(),
              link,
              '"' + variant.name() + '"',
              took,
              Math.round(run.bytes()),
              exposed,
              run.starvedShare(),
              makespan));
      System.out.printf(
          Locale.ROOT,
          "| %s | %s | %d x %d | %d | %s | %s | %.3f | %.2f | %.3f | %.0f %% | %s | %.2f |%n",
          cell.graphName(),
          cell.model(),
          cell.layers(),
          cell.hidden(),
          cell.workers(),
          link,
          variant.name(),
          took,
          run.bytes() / 1e6,
          exposed,
          100 * run.starvedShare(),
          Double.isNaN(makespan) ? "" : String.format(Locale.ROOT, "%.3f", makespan),
          seconds / took);
    }
  }

  /** Seconds of an epoch if every stage had a core of its own. */
  private static double makespan(HeddleRun run, double megabits) {
    JsonNode cut = run.stages().get("cut");
    JsonNode costs = run.stages().get("costs");
    int stages = cut.size() - 1;
    int chunks = run.summary().get("knobs").get("chunks").asInt();
    double all = 0;
    double dearest = 0;
    for (int s = 0; s < stages; s++) {
      double cost = 0;
      for (int section = cut.get(s).asInt(); section < cut.get(s + 1).asInt(); section++) {
        cost += 1e-9 * costs.get(section).asDouble();
      }
      all += cost;
      dearest = Math.max(dearest, cost);
    }
    // There and back over one boundary, a chunk's share.
    double travel = 8 * run.bytes() / Math.max(1, stages - 1) / chunks / (megabits * 1e6);
    return all + (stages - 1) * travel + (chunks - 1) * Math.max(dearest, travel);
  }

  private static double megabits(String link) {
    double number = Double.parseDouble(link.replaceAll("[A-Za-z]+$", ""));
    return link.endsWith("Gbit") ? 1000 * number : number;
  }

  private static void mean(String what, Map<String, List<Double>> ratios) {
    ratios.forEach((variant, all) ->
        System.out.printf(
            Locale.ROOT,
            "%s: %.2f %s in the geometric mean of %d cells, %.2f in the best%n",
            variant,
            Math.exp(all.stream().mapToDouble(Math::log).average().orElse(Double.NaN)),
            what,
            all.size(),
            all.stream().mapToDouble(r -> r).max().orElse(Double.NaN)));
  }
}
