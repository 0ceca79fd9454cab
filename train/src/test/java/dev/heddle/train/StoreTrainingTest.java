package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.FeaturePlace;
import dev.heddle.graph.Graph;
import dev.heddle.graph.ReadOptions;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.run.EpochReport;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Training over a store, mapped or copied, gives the bits of training in memory. */
class StoreTrainingTest {
  @TempDir private static Path folder;

  private static CommunityGraph settings() {
    return CommunityGraph.of(700).averageDegree(6).communities(4).classes(4).width(11).seed(5);
  }

  private static CommunityGraph sparse() {
    return settings().width(60).words(9);
  }

  @BeforeAll
  static void generate() {
    try (ThreadTeam team = ThreadTeam.of(1)) {
      settings().generate(team, folder.resolve("dense"), false);
      sparse().generate(team, folder.resolve("sparse"), false);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"GCN", "SAGE", "SAGE_POOL", "GAT", "MLP"})
  void bitsAreThoseOfTheGraphInMemory(ModelKind kind) {
    check(kind, settings(), folder.resolve("dense"));
    check(kind, sparse(), folder.resolve("sparse"));
  }

  private static void check(ModelKind kind, CommunityGraph made, Path store) {
    List<Double> expected;
    try (ThreadTeam team = ThreadTeam.of(1);
        Graph graph = made.generate(team)) {
      expected = losses(kind, graph);
    }
    for (FeaturePlace place : FeaturePlace.values()) {
      try (Graph graph = Graph.open(store, ReadOptions.DEFAULT.withPlace(place))) {
        assertThat(losses(kind, graph)).as("features %s", place).isEqualTo(expected);
      }
    }
  }

  /** The losses depend on every parameter of the epochs before, and so on all bits. */
  private static List<Double> losses(ModelKind kind, Graph graph) {
    ModelSpec spec = ModelSpec.of(kind).hidden(8).dropout(0.3f).inputDropout(0.2f).build();
    TrainSettings settings = TrainSettings.builder().epochs(4).seed(1).threads(2).build();
    try (Training training = Training.of(graph, spec, settings)) {
      return training.run().epochs().stream().map(EpochReport::loss).toList();
    }
  }
}
