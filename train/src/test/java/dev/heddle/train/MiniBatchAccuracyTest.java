package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.graph.Graph;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.wordnet.WordNet;
import dev.heddle.nn.LearningRate;
import dev.heddle.nn.Metric;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Batches of sampled neighbours learn as well as whole graphs: the mean test score of three seeds,
 * each at its best epoch for validation.
 *
 * <p>Both train the same model; what they may differ in is rate and epochs, as an epoch is one step
 * on the whole graph and many in batches.
 */
@Tag("slow")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class MiniBatchAccuracyTest {
  private static final int SEEDS = 3;

  /** How much lower the mean score of batches may be: half a point. */
  private static final double MOST_LOST = 0.005;

  /** A graph, a model, how it is trained on the whole graph, and in batches. */
  record Case(
      String graph,
      ModelSpec.Builder model,
      TrainSettings.Builder whole,
      TrainSettings.Builder batches) {
    @Override
    public String toString() {
      return graph;
    }
  }

  static Stream<Case> cases() {
    return Stream.of(
        new Case(
            "amazon-photo",
            sage().dropout(0.5f),
            training(0.01f, 200),
            training(0.005f, 60).batches(new BatchSettings(64, fanouts()))),
        new Case(
            "tolokers",
            sage().dropout(0.2f).norm(NormKind.LAYER),
            training(0.003f, 200).metric(Metric.named("roc-auc")),
            training(0.003f, 40)
                .metric(Metric.named("roc-auc"))
                .batches(new BatchSettings(512, fanouts()))),
        // On the whole graph as `heddle train` does without an argument.
        new Case(
            "wordnet",
            sage().norm(NormKind.LAYER).dropout(0.5f).inputDropout(0.2f),
            training(0.01f, 60),
            falling(0.005f, 12).batches(new BatchSettings(1024, fanouts()))));
  }

  private static ModelSpec.Builder sage() {
    return ModelSpec.of(ModelKind.SAGE).layers(2).hidden(128);
  }

  private static SampleSettings fanouts() {
    return SampleSettings.neighbours(15, 10);
  }

  private static TrainSettings.Builder training(float rate, int epochs) {
    return TrainSettings.builder().learningRate(rate).epochs(epochs).evaluateEvery(2);
  }

  private static TrainSettings.Builder falling(float rate, int epochs) {
    return training(rate, epochs).learningRate(new LearningRate.Cosine(rate, 0, epochs, 0));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void batchesLearnAsMuch(Case c) {
    if (c.graph.equals("wordnet")) {
      try (WordNet wordNet = WordNet.read()) {
        compare(c, wordNet.graph());
      }
      return;
    }
    Path folder = RealGraphs.folder(c.graph);
    assumeTrue(Files.exists(folder), () -> "skipped: there is no " + folder);
    try (Graph graph = Graph.open(folder)) {
      compare(c, graph);
    }
  }

  private static void compare(Case c, Graph graph) {
    List<Double> whole = tests(graph, c.model.build(), c.whole);
    List<Double> batches = tests(graph, c.model.build(), c.batches);
    System.out.printf(
        Locale.ROOT,
        "%s: whole graph %.4f %s, batches %.4f %s%n",
        c,
        mean(whole),
        whole,
        mean(batches),
        batches);
    assertThat(mean(batches)).isGreaterThanOrEqualTo(mean(whole) - MOST_LOST);
  }

  /** Test scores by seed. */
  private static List<Double> tests(Graph graph, ModelSpec spec, TrainSettings.Builder settings) {
    List<Double> tests = new ArrayList<>();
    for (int seed = 0; seed < SEEDS; seed++) {
      try (Training training = Training.of(graph, spec, settings.seed(seed).build())) {
        tests.add(training.run().test());
      }
    }
    return tests;
  }

  private static double mean(List<Double> scores) {
    return scores.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
  }
}
