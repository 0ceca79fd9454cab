package dev.heddle.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What each part of AdaQP (Wan et al., 2023) is worth on a slow network: every {@link HaloVariant}
 * on every graph and model, four workers that are processes, one thread each. Prints a Markdown
 * table.
 *
 * <p>The links of a cell are such that vanilla spends three quarters of its epoch communicating
 * ({@link HaloCell#calibrate}); all variants of the cell have the same. Scores are of runs with
 * fast links, at the best validation epoch.
 *
 * <p>Options: {@code --graphs}, {@code --models}, {@code --variants} (lists with commas), {@code
 * --epochs} timed, {@code --seeds} of scores, {@code --skip-accuracy yes}, {@code --share} of
 * vanilla's communication in percent, {@code --link} instead of it, {@code --latency}.
 */
final class HaloBench {
  private final Path folder = Path.of("").toAbsolutePath();
  private final Options options;
  private final List<HaloVariant> variants;
  private final int seeds;
  private final Map<String, List<Double>> overVanilla = new LinkedHashMap<>();
  private final Map<String, List<Double>> overCache = new LinkedHashMap<>();

  private HaloBench(Options options) {
    this.options = options;
    List<String> wanted = List.of(options.word("variants", "").split(",", -1));
    variants =
        HaloVariant.ALL.stream()
            .filter(v -> wanted.getFirst().isEmpty() || wanted.contains(v.name()))
            .toList();
    seeds = options.word("skip-accuracy", "no").equals("yes") ? 0 : options.number("seeds", 3);
  }

  public static void main(String[] args) throws IOException {
    Options options = Options.parse(args);
    HaloBench bench = new HaloBench(options);
    System.out.println(
        "| graph | model | link | variant | s/epoch | MB/epoch | communicating | sums | coding |"
            + " over vanilla | over vanilla + cache | test |");
    System.out.println("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (String name : options.word("graphs", HaloGraph.NAMES).split(",", -1)) {
      HaloGraph graph = HaloGraph.prepare(bench.folder, name, options);
      for (String model : options.word("models", "gcn,sage").split(",", -1)) {
        bench.measure(new HaloCell(bench.folder, graph, model, options));
      }
    }
    bench.means();
  }

  private void measure(HaloCell cell) throws IOException {
    int epochs = options.number("epochs", cell.graph().timedEpochs());
    String known = options.word("link", "");
    double share = 0.01 * options.number("share", 76);
    Lines lines = new Lines(cell, known.isEmpty() ? cell.calibrate(epochs, share) : known);
    for (HaloVariant variant : variants) {
      lines.add(variant, cell.timed(variant, epochs, lines.link));
    }
  }

  /** The lines of one cell. */
  private final class Lines {
    private final HaloCell cell;
    private final String link;
    private final Map<String, Double> seconds = new LinkedHashMap<>();
    private final Map<String, Double> tests = new LinkedHashMap<>();

    Lines(HaloCell cell, String link) {
      this.cell = cell;
      this.link = link;
    }

    void add(HaloVariant variant, HeddleRun run) throws IOException {
      double took = run.epochSeconds(HaloCell.PERIOD);
      seconds.put(variant.name(), took);
      System.out.printf(
          Locale.ROOT,
          "| %s | %s | %s | %s | %.4f | %.2f | %.0f %% | %.0f %% | %.0f %% | %s | %s | %s |%n",
          cell.graph().name(),
          cell.model(),
          link,
          variant.name(),
          took,
          run.bytes() / 1e6,
          100 * run.exposedSeconds() / took,
          100 * run.sumSeconds() / took,
          100 * run.codingSeconds() / took,
          ratio(variant, HaloVariant.VANILLA, overVanilla),
          ratio(variant, HaloVariant.CACHE, overCache),
          score(variant));
    }

    /** How many times faster than a baseline, if that was measured; noted for the mean. */
    private String ratio(HaloVariant variant, String baseline, Map<String, List<Double>> all) {
      double ratio =
          seconds.getOrDefault(baseline, Double.NaN)
              / seconds.getOrDefault(variant.name(), Double.NaN);
      if (Double.isNaN(ratio)) {
        return "";
      }
      all.computeIfAbsent(variant.name(), _ -> new ArrayList<>()).add(ratio);
      return String.format(Locale.ROOT, "%.2f×", ratio);
    }

    /** Means over seeds; variants that compute the same numbers are trained once. */
    private String score(HaloVariant variant) throws IOException {
      if (seeds == 0) {
        return "";
      }
      if (!tests.containsKey(variant.scoresOf())) {
        double sum = 0;
        for (int seed = 0; seed < seeds; seed++) {
          sum += cell.scored(variant, seed).test();
        }
        tests.put(variant.scoresOf(), sum / seeds);
      }
      return String.format(Locale.ROOT, "%.2f", tests.getOrDefault(variant.scoresOf(), Double.NaN));
    }
  }

  private void means() {
    System.out.println();
    System.out.println("| variant | geometric mean over vanilla | over vanilla + cache |");
    System.out.println("|---|---|---|");
    for (HaloVariant variant : variants) {
      System.out.printf(
          "| %s | %s | %s |%n",
          variant.name(), mean(variant, overVanilla), mean(variant, overCache));
    }
  }

  private static String mean(HaloVariant variant, Map<String, List<Double>> all) {
    List<Double> ratios = all.getOrDefault(variant.name(), List.of());
    double logs = ratios.stream().mapToDouble(Math::log).average().orElse(Double.NaN);
    return Double.isNaN(logs) ? "" : String.format(Locale.ROOT, "%.2f×", Math.exp(logs));
  }
}
