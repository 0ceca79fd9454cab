package dev.heddle.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Seconds and bytes of an epoch by variant.
 *
 * <p>The links of a cell are such that vanilla spends 78 % of its epoch communicating, or nearly
 * ({@link HaloCell#calibrate}); all variants of the cell have the same.
 *
 * <p>Options: {@code --epochs} timed, {@code --share} of vanilla's communication in percent, {@code
 * --link} instead of it.
 */
final class HaloTimes {
  private final List<HaloVariant> variants;
  private final Options options;
  private final Map<String, List<Double>> overVanilla = new LinkedHashMap<>();
  private final Map<String, List<Double>> overCache = new LinkedHashMap<>();

  HaloTimes(List<HaloVariant> variants, Options options) {
    this.variants = variants;
    this.options = options;
  }

  void print(List<HaloCell> cells) throws IOException {
    System.out.println(
        "| graph | model | link | variant | s/epoch | MB/epoch | communicating | sums | coding |"
            + " over vanilla | over vanilla + cache |");
    System.out.println("|---|---|---|---|---|---|---|---|---|---|---|");
    for (HaloCell cell : cells) {
      measure(cell);
    }
    means();
  }

  private void measure(HaloCell cell) throws IOException {
    int epochs = options.number("epochs", cell.graph().timedEpochs(cell.model()));
    String known = options.word("link", "");
    double share = 0.01 * options.number("share", 78);
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

    Lines(HaloCell cell, String link) {
      this.cell = cell;
      this.link = link;
    }

    void add(HaloVariant variant, HeddleRun run) {
      double took = run.epochSeconds(HaloCell.PERIOD);
      seconds.put(variant.name(), took);
      System.out.printf(
          Locale.ROOT,
          "| %s | %s | %s | %s | %.4f | %.2f | %.0f %% | %.0f %% | %.0f %% | %s | %s |%n",
          cell.graphName(),
          cell.model(),
          link,
          variant.name(),
          took,
          run.bytes() / 1e6,
          100 * run.exposedSeconds() / took,
          100 * run.sumSeconds() / took,
          100 * run.codingSeconds() / took,
          ratio(variant, HaloVariant.VANILLA, overVanilla),
          ratio(variant, HaloVariant.CACHE, overCache));
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
    System.out.println();
  }

  private static String mean(HaloVariant variant, Map<String, List<Double>> all) {
    List<Double> ratios = all.getOrDefault(variant.name(), List.of());
    double logs = ratios.stream().mapToDouble(Math::log).average().orElse(Double.NaN);
    return Double.isNaN(logs) ? "" : String.format(Locale.ROOT, "%.2f×", Math.exp(logs));
  }
}
