package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SamplerKind;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.TrainSettings;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where it would round nothing, half width is not taken in silence. */
class HalfWidthTest {
  private static Graph graph;

  @BeforeAll
  static void generate() {
    try (ThreadTeam team = ThreadTeam.of(1)) {
      graph = CommunityGraph.of(200).averageDegree(4).width(5).seed(1).generate(team);
    }
  }

  @AfterAll
  static void free() {
    graph.close();
  }

  private static void take(ModelKind kind, @Nullable BatchSettings batches) {
    take(kind, batches, Fetch.DEFAULT);
  }

  private static void take(ModelKind kind, @Nullable BatchSettings batches, Fetch fetch) {
    ModelSpec spec = ModelSpec.of(kind).layers(2).hidden(8).propagations(2).build();
    TrainSettings settings =
        TrainSettings.builder().threads(1).halfWidth(true).batches(batches).build();
    Training.of(graph, spec, settings.withFetch(fetch)).close();
  }

  private static BatchSettings batches(ModelKind kind) {
    int hops = kind == ModelKind.MLP ? 0 : 2;
    return new BatchSettings(
        32, new SampleSettings(SamplerKind.NEIGHBOUR, Collections.nCopies(hops, 2), false, false));
  }

  @ParameterizedTest
  @EnumSource
  void wholeGraphsTakeItWhereRowsAreSummed(ModelKind kind) {
    if (kind.aggregation() != null) {
      assertThatCode(() -> take(kind, null)).doesNotThrowAnyException();
    } else {
      assertThatThrownBy(() -> take(kind, null))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("half width is for models that sum rows; not for " + kind);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"GCN", "SAGE", "GIN", "SGC", "GCNII", "RESGCN", "APPNP"})
  void batchesTakeItWhereFeaturesAreSummed(ModelKind kind) {
    if (!kind.aggregatesFeatures()) {
      refused(kind, Fetch.DEFAULT);
      return;
    }
    assertThatCode(() -> take(kind, batches(kind))).doesNotThrowAnyException();
    refused(kind, Fetch.DEFAULT.withAggregatedInputs(true));
  }

  private static void refused(ModelKind kind, Fetch fetch) {
    assertThatThrownBy(() -> take(kind, batches(kind), fetch))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("half width in batches is for dense features")
        .hasMessageEndingWith("not for " + kind + " as it is here");
  }

  /** Subgraphs are graphs: their rows are rounded as those of a whole one. */
  @Test
  void subgraphsTakeIt() {
    var clusters = new SampleSettings(SamplerKind.CLUSTER, List.of(), false, false);
    assertThatCode(() -> take(ModelKind.GCNII, new BatchSettings(32, clusters)))
        .doesNotThrowAnyException();
  }
}
