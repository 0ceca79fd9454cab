package dev.heddle.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A graph and a model of the {@link HaloBench}, and how they are run: four workers. */
final class HaloCell implements ScoredCell {
  /** Epochs between choices of widths: as many as the paper's shortest runs have. */
  static final int PERIOD = 50;

  private static final int WORKERS = 4;

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

  @Override
  public String model() {
    return model;
  }

  @Override
  public String graphName() {
    return graph.name();
  }

  /** The rate of links at which vanilla communicates for a share of its epoch. */
  String calibrate(int epochs, double share) throws IOException {
    HaloVariant vanilla = HaloVariant.ALL.getFirst();
    return new Calibration(graph.name() + " " + model, WORKERS, PERIOD)
        .rate(share, link -> timed(vanilla, epochs, link));
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
  @Override
  public HeddleRun scored(HaloVariant variant, int seed) throws IOException {
    List<String> flags = flags(variant, Calibration.FAST);
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
