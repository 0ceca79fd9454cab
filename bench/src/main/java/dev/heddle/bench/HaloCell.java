package dev.heddle.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A graph and a model of the {@link HaloBench}, and how they are run: four workers. */
final class HaloCell {
  /** Epochs between choices of widths: as many as the paper's shortest runs have. */
  static final int PERIOD = 50;

  private static final int WORKERS = 4;

  /** How far from the wished share of communication a calibrated cell may be. */
  private static final double TOLERANCE = 0.02;

  /** What runs for scores have: as fast as rows are packed, and alike in both directions. */
  private static final String FAST = "10Gbit";

  private final Path folder;
  private final HaloGraph graph;
  private final String model;
  private final String latency;
  private final int scoredEpochs;

  HaloCell(Path folder, HaloGraph graph, String model, Options options) {
    this.folder = folder;
    this.graph = graph;
    this.model = model;
    latency = options.word("latency", "0.2ms");
    scoredEpochs = options.number("scored-epochs", graph.scoredEpochs());
  }

  HaloGraph graph() {
    return graph;
  }

  String model() {
    return model;
  }

  /**
   * The rate of links at which vanilla communicates for a share of its epoch. What vanilla computes
   * stays the same and what it waits goes with the rate, so that two or three steps are enough.
   */
  String calibrate(int epochs, double share) throws IOException {
    HaloVariant vanilla = HaloVariant.ALL.getFirst();
    HeddleRun run = timed(vanilla, epochs, FAST);
    double computing = run.epochSeconds(PERIOD) - run.exposedSeconds();
    double links = WORKERS * (WORKERS - 1);
    double rate = 8 * run.bytes() / links / (computing * share / (1 - share));
    for (int step = 0; step < 4; step++) {
      String link = words(rate);
      run = timed(vanilla, epochs, link);
      double seconds = run.epochSeconds(PERIOD);
      double found = run.exposedSeconds() / seconds;
      System.err.printf(
          Locale.ROOT,
          "%s %s at %s: %.4f s, %.0f %% of it communicating%n",
          graph.name(),
          model,
          link,
          seconds,
          100 * found);
      if (Math.abs(found - share) < TOLERANCE) {
        return link;
      }
      rate *= found / (1 - found) * (1 - share) / share;
    }
    return words(rate);
  }

  private static String words(double bitsPerSecond) {
    return String.format(Locale.ROOT, "%.4gMbit", bitsPerSecond / 1e6);
  }

  /** A run whose epochs are timed. */
  HeddleRun timed(HaloVariant variant, int epochs, String link) throws IOException {
    List<String> flags = flags(variant, link);
    flags.add("--processes");
    // The first choice of widths is made after the first epoch.
    flags.addAll(List.of("--epochs", "" + epochs, "--evaluate-every", "" + epochs));
    flags.addAll(List.of("--latency", latency));
    return HeddleRun.training(folder, flags);
  }

  /**
   * A run whose score counts: workers are threads, which come to the same bits sooner. Rates fall
   * to nothing, so that runs end settled: with one rate to the end, runs of the same variant differ
   * by more than what is measured.
   */
  HeddleRun scored(HaloVariant variant, int seed) throws IOException {
    List<String> flags = flags(variant, FAST);
    flags.addAll(List.of("--epochs", "" + scoredEpochs, "--seed", "" + seed));
    flags.addAll(List.of("--schedule", "cosine", "--evaluate-every", "4"));
    return HeddleRun.training(folder, flags);
  }

  private List<String> flags(HaloVariant variant, String link) {
    List<String> flags = new ArrayList<>(List.of("train", "--json"));
    flags.addAll(graph.flags());
    flags.addAll(List.of("--workers", "" + WORKERS, "--threads", "" + WORKERS, "--link", link));
    flags.addAll(List.of("--model", model, "--layers", "3", "--hidden", "256"));
    flags.addAll(variant.flags());
    return flags;
  }
}
