package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.graph.Graph;
import dev.heddle.graph.ReadOptions;
import dev.heddle.nn.Metric;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Real graphs reach published accuracies: the mean test score of five seeds. */
@Tag("slow")
class AccuracyTest {
  private static final int SEEDS = 5;

  /** A graph, how it is read, a model, how it is trained, and the mean score it must reach. */
  record Case(
      String graph,
      ReadOptions read,
      ModelSpec.Builder model,
      TrainSettings.Builder training,
      double least) {
    @Override
    public String toString() {
      return graph + " " + model.build().kind();
    }
  }

  static Stream<Case> cases() {
    ReadOptions normalised = ReadOptions.DEFAULT.withRowNormalise(true);
    return Stream.of(
        new Case("cora", normalised, kipf(), training(0.01f, 5e-4f, 200), 0.81),
        new Case("citeseer", normalised, kipf(), training(0.01f, 5e-4f, 200), 0.70),
        new Case(
            "cora",
            normalised,
            ModelSpec.of(ModelKind.GAT)
                .hidden(64)
                .heads(8)
                .dropout(0.6f)
                .inputDropout(0.6f)
                .attentionDropout(0.6f),
            training(0.005f, 5e-4f, 400),
            0.82),
        new Case(
            "amazon-photo",
            ReadOptions.DEFAULT,
            ModelSpec.of(ModelKind.GCN).hidden(64).dropout(0.5f).inputDropout(0.5f),
            training(0.01f, 5e-4f, 200),
            0.89),
        new Case(
            "coauthor-cs",
            normalised,
            ModelSpec.of(ModelKind.GCN).hidden(64).dropout(0.5f).inputDropout(0.5f),
            training(0.01f, 5e-4f, 200),
            0.895),
        new Case(
            "tolokers",
            ReadOptions.DEFAULT,
            // Neighbourhoods are large: without a residual a vertex's own features drown.
            ModelSpec.of(ModelKind.GCN)
                .layers(3)
                .hidden(128)
                .dropout(0.2f)
                .norm(NormKind.LAYER)
                .residual(true),
            training(0.003f, 0, 300).metric(Metric.named("roc-auc")).evaluateEvery(5),
            0.82),
        new Case(
            "squirrel",
            ReadOptions.DEFAULT,
            // Neighbours are mostly of other classes: a vertex's own features weigh half.
            ModelSpec.of(ModelKind.GCNII)
                .layers(32)
                .hidden(64)
                .alpha(0.5f)
                .lambda(1.5f)
                .dropout(0.5f),
            training(0.01f, 5e-4f, 60).evaluateEvery(2),
            0.34),
        new Case(
            "squirrel",
            normalised,
            ModelSpec.of(ModelKind.RESGCN).layers(32).hidden(64).dropout(0.5f),
            training(0.003f, 0, 100).evaluateEvery(2),
            0.34));
  }

  /** As Kipf & Welling (2017) trained it. */
  private static ModelSpec.Builder kipf() {
    return ModelSpec.of(ModelKind.GCN)
        .hidden(16)
        .dropout(0.5f)
        .inputDropout(0.5f)
        .decayFirstLayerOnly(true);
  }

  private static TrainSettings.Builder training(float rate, float decay, int epochs) {
    return TrainSettings.builder().learningRate(rate).weightDecay(decay).epochs(epochs);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void reachesThePublishedAccuracy(Case c) {
    Path folder = RealGraphs.folder(c.graph());
    assumeTrue(Files.exists(folder), () -> "skipped: there is no " + folder);
    double sum = 0;
    StringBuilder each = new StringBuilder();
    try (Graph graph = Graph.open(folder, c.read())) {
      for (int seed = 0; seed < SEEDS; seed++) {
        TrainSettings settings = c.training().seed(seed).build();
        try (Training training = Training.of(graph, c.model().build(), settings)) {
          TrainResult result = training.run();
          sum += result.test();
          each.append(String.format(Locale.ROOT, " %.4f", result.test()));
        }
      }
    }
    double mean = sum / SEEDS;
    System.out.printf(Locale.ROOT, "%-20s mean %.4f of%s (least %.4f)%n", c, mean, each, c.least());
    assertThat(mean).isGreaterThanOrEqualTo(c.least());
  }
}
