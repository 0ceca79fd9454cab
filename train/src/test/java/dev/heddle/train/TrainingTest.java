package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Split;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Metric;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.Safetensors;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.run.EpochReport;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The front door, as a user of the library meets it. */
class TrainingTest {
  private static final ModelSpec GCN = ModelSpec.of(ModelKind.GCN).hidden(16).build();

  private static Graph graph;

  @TempDir private Path folder;

  @BeforeAll
  static void generate() {
    try (ThreadTeam team = ThreadTeam.of(1)) {
      graph =
          CommunityGraph.of(400)
              .averageDegree(8)
              .communities(4)
              .classes(4)
              .width(12)
              .noise(1)
              .seed(7)
              .generate(team);
    }
  }

  @AfterAll
  static void free() {
    graph.close();
  }

  private static TrainSettings.Builder settings(int epochs) {
    return TrainSettings.builder().epochs(epochs).threads(2).seed(1);
  }

  /** The graph with some of its parts exchanged, in the same memory. */
  private static Graph.Builder changed() {
    return Graph.builder(graph.memory(), "small", graph.in())
        .features(graph.features())
        .labels(graph.labels())
        .split(graph.split());
  }

  @Test
  void trainsScoresAndSaves() {
    Path file = folder.resolve("model.safetensors");
    List<EpochReport> told = new ArrayList<>();
    try (Training training = Training.of(graph, GCN, settings(60).build())) {
      TrainResult result = training.onEpoch(told::add).run();
      assertThat(result.test()).isGreaterThan(0.9);
      assertThat(result.epochs()).hasSize(60).isEqualTo(told);
      assertThat(result.loss()).isLessThan(told.getFirst().loss() / 2);
      assertPredictionsAreInTheUsersOrder(training, result);
      training.save(file);
      try (Safetensors saved = Safetensors.open(file)) {
        List<Parameter> parameters = training.model().parameters().all();
        assertThat(saved.metadata()).containsEntry("heddle.model.kind", "gcn");
        assertThat(saved.tensors().keySet())
            .containsExactlyInAnyOrderElementsOf(parameters.stream().map(Parameter::name).toList());
        for (Parameter p : parameters) {
          assertThat(saved.matrix(graph.memory(), p.name()).toArray())
              .isDeepEqualTo(p.value().toArray());
        }
      }
    }
  }

  private static void assertPredictionsAreInTheUsersOrder(Training training, TrainResult result) {
    float[][] scores = training.predict();
    ClassLabels labels = (ClassLabels) TrainableGraph.labels(graph);
    int[] test = TrainableGraph.split(graph).test();
    int right = 0;
    for (int v : test) {
      float[] row = scores[graph.userIndex(v)];
      int best = 0;
      for (int c = 1; c < row.length; c++) {
        best = row[c] > row[best] ? c : best;
      }
      right += best == labels.at(v) ? 1 : 0;
    }
    assertThat((double) right / test.length).isEqualTo(result.test());
  }

  @Test
  void stopsWhenNothingGetsBetter() {
    try (Training training = Training.of(graph, GCN, settings(1000).patience(5).build())) {
      TrainResult result = training.run();
      assertThat(result.epochs()).hasSizeLessThan(1000).hasSize(result.bestEpoch() + 5);
    }
  }

  @Test
  void leavesTheParametersOfTheBestEpoch() {
    // So large a rate that scores go up and down.
    TrainSettings settings = settings(40).learningRate(0.5f).build();
    float[][] best;
    int bestEpoch;
    try (Training training = Training.of(graph, GCN, settings)) {
      TrainResult result = training.run();
      bestEpoch = result.bestEpoch();
      assertThat(bestEpoch).as("the best epoch, not the last").isLessThan(40);
      assertThat(training.evaluate()).isEqualTo(result.scores());
      best = training.predict();
    }
    try (Training training = Training.of(graph, GCN, settings)) {
      for (int epoch = 1; epoch <= bestEpoch; epoch++) {
        training.epoch(epoch);
      }
      assertThat(training.predict()).isDeepEqualTo(best);
    }
  }

  @Test
  void evaluatesAsOftenAsAsked() {
    try (Training training = Training.of(graph, GCN, settings(7).evaluateEvery(3).build())) {
      assertThat(training.run().epochs())
          .filteredOn(report -> report.scores() != null)
          .extracting(EpochReport::epoch)
          .containsExactly(3, 6, 7);
    }
  }

  @Test
  void saysWhatAGraphLacks() {
    assertRefused(changed().features(null).build(), "small has no features to train with");
    assertRefused(changed().labels(null).build(), "small has no labels to train with");
    assertRefused(changed().split(null).build(), "small has no split to train with");
    Split none = new Split(new int[0], new int[] {1}, new int[] {2});
    assertRefused(changed().split(none).build(), "small has no training vertices");
  }

  @Test
  void refusesLabelsThatAreNoClass() {
    int[] values = new int[graph.vertices()];
    int vertex = TrainableGraph.split(graph).train()[0];
    values[vertex] = ClassLabels.NONE;
    assertRefused(
        changed().labels(ClassLabels.of(graph.memory(), values, 4)).build(),
        "training vertex " + vertex + " has no label");
    values[vertex] = 4;
    assertRefused(
        changed().labels(ClassLabels.of(graph.memory(), values, 4)).build(),
        "row " + vertex + " has class 4, but classes go from 0 to 3");
  }

  private static void assertRefused(Graph lacking, String message) {
    assertThatThrownBy(() -> Training.of(lacking, GCN, settings(1).build()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void refusesAMetricThatCannotJudgeTheLabels() {
    TrainSettings settings = settings(1).metric(Metric.named("rmse")).build();
    assertThatThrownBy(() -> Training.of(graph, GCN, settings))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("rmse cannot judge ClassLabels");
  }
}
