package dev.heddle.cli;

import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SamplerKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.TrainSettings;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of training in batches. */
final class BatchOptions {
  private static final int USUAL_FANOUT = 10;

  /** As LADIES has it at most. */
  private static final int USUAL_LAYER = 512;

  @Option(
      names = "--batch",
      description = {
        "Training vertices of a step; 0 for all (default: ${DEFAULT-VALUE}).",
        "0 trains on the whole graph. About as many with --sampler cluster."
      })
  private int batch;

  @Option(
      names = "--fanout",
      description = {
        "Neighbours sampled, as in 15,10; -1 for all (default: 10 each).",
        "Of a vertex, for each hop from the batch on; shadow takes two hops. With --sampler ladies or"
            + " fastgcn vertices of a layer, 512 if nobody says."
      })
  private @Nullable String fanout;

  @Option(
      names = "--sampler",
      description = "How neighbours are drawn: ${COMPLETION-CANDIDATES} (default: neighbour).")
  private @Nullable SamplerKind sampler;

  @Option(
      names = "--replace",
      negatable = true,
      fallbackValue = "true",
      description = "A neighbour can be drawn several times.")
  private boolean replace;

  @Option(
      names = "--kappa",
      description =
          "With --sampler labor, over how many batches a vertex's draw changes to another: the more,"
              + " the more sources have batches that follow each other in common (default: 1).")
  private @Nullable Integer kappa;

  @Option(
      names = "--flat",
      negatable = true,
      fallbackValue = "true",
      description =
          "With --sampler ladies or fastgcn, draw vertices by the norms of their columns, not by the"
              + " squares of these.")
  private boolean flat;

  @Option(
      names = "--debias",
      negatable = true,
      fallbackValue = "true",
      description =
          "With --sampler ladies or fastgcn, draw vertices without replacement, with weights that"
              + " keep sums unbiased.")
  private boolean debias;

  @Option(
      names = "--by-weight",
      negatable = true,
      fallbackValue = "true",
      description = "Neighbours are drawn in proportion to the weights of their edges.")
  private boolean byWeight;

  /** The settings with what these options say of batches. */
  TrainSettings applied(TrainSettings settings, ModelSpec model) {
    if (batch == 0) {
      return settings;
    }
    var sampling =
        new SampleSettings(
            sampler(),
            fanout == null ? usualFanouts(model) : numbers(fanout),
            replace,
            byWeight,
            kappa == null ? 1 : kappa,
            new SampleSettings.Layer(flat, debias));
    return settings.withBatches(new BatchSettings(batch, sampling));
  }

  private SamplerKind sampler() {
    return sampler == null ? SamplerKind.NEIGHBOUR : sampler;
  }

  private static List<Integer> numbers(String text) {
    try {
      return Arrays.stream(text.split(",", -1)).map(n -> Integer.valueOf(n.strip())).toList();
    } catch (NumberFormatException e) {
      throw new InputException(
          "--fanout wants whole numbers with commas between, as in 15,10,5, not '" + text + "'", e);
    }
  }

  private List<Integer> usualFanouts(ModelSpec model) {
    int hops =
        switch (sampler()) {
          case NEIGHBOUR, LABOR, LADIES, FASTGCN -> model.hops();
          case SHADOW -> 2;
          case CLUSTER -> 0;
        };
    return Collections.nCopies(hops, sampler().layerwise() ? USUAL_LAYER : USUAL_FANOUT);
  }
}
