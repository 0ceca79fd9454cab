package dev.heddle.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * A deep model on a graph by some workers, for the {@link PipelineBench}.
 *
 * @param folder where the repository lies
 */
record PipelineCell(
    Path folder, HaloGraph graph, String model, int workers, int layers, int hidden, String latency)
    implements ScoredCell {
  @Override
  public String graphName() {
    return graph.name();
  }

  /** The cell in words, by which it is chosen. */
  String name() {
    return graph.name()
        + " "
        + model
        + " "
        + layers
        + " layers x"
        + hidden
        + " "
        + workers
        + " workers";
  }

  /** What a variant would send and take, by a dry run: exact to the byte. */
  JsonNode planned(HaloVariant variant) throws IOException {
    List<String> flags = flags(variant);
    flags.add("--dry-run");
    return HeddleRun.of(folder, flags).summary().get("plan");
  }

  /** A run whose epochs are timed; nothing is scored. */
  HeddleRun timed(HaloVariant variant, int epochs, String link) throws IOException {
    List<String> flags = flags(variant);
    flags.addAll(List.of("--processes", "--link", link, "--latency", latency));
    flags.addAll(List.of("--epochs", "" + epochs, "--evaluate-every", "0"));
    return HeddleRun.training(folder, flags);
  }

  /** The rate of links at which parts of the graph communicate for a share of their epoch. */
  String calibrate(int epochs, double share) throws IOException {
    HaloVariant parts = PipelineVariants.all(workers).getFirst();
    return new Calibration(name(), workers, HaloCell.PERIOD)
        .rate(share, link -> timed(parts, epochs, link));
  }

  @Override
  public HeddleRun scored(HaloVariant variant, int seed) throws IOException {
    List<String> flags = flags(variant);
    flags.addAll(List.of("--seed", "" + seed, "--dropout", "0.5", "--evaluate-every", "2"));
    if (model.equals("gcnii")) {
      // Neighbours of squirrel's vertices are mostly of other classes: own features weigh half.
      flags.addAll(List.of("--alpha", "0.5", "--lambda", "1.5", "--weight-decay", "0.0005"));
      flags.addAll(List.of("--lr", "0.01", "--epochs", "60"));
    } else {
      flags.addAll(List.of("--lr", "0.003", "--row-normalise", "--epochs", "100"));
    }
    return HeddleRun.training(folder, flags);
  }

  private List<String> flags(HaloVariant variant) {
    List<String> flags = new ArrayList<>(List.of("train", "--json"));
    flags.addAll(graph.flags());
    flags.addAll(List.of("--workers", "" + workers, "--threads", "" + workers));
    flags.addAll(List.of("--model", model, "--layers", "" + layers, "--hidden", "" + hidden));
    flags.addAll(variant.flags());
    return flags;
  }
}
