package dev.heddle.graph.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.kernel.ThreadTeam;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MultilevelPartitionerTest {
  private static final EnumSet<Constraint> VERTICES = EnumSet.of(Constraint.VERTICES);

  private static PartitionSettings of(int parts) {
    return PartitionSettings.of(parts).withConstraints(VERTICES);
  }

  private static Partition partition(Graph graph, PartitionSettings settings, int threads) {
    try (ThreadTeam team = ThreadTeam.of(threads)) {
      return new MultilevelPartitioner().partition(graph, settings, team);
    }
  }

  private static PartitionReport report(Graph graph, PartitionSettings settings) {
    return PartitionReport.of(graph, partition(graph, settings, 1));
  }

  @Test
  void cutsCliquesAtTheirBridges() {
    for (int cliques : new int[] {2, 3, 4, 7}) {
      try (Graph graph = Shapes.undirected(12 * cliques, Shapes.cliques(cliques, 12))) {
        PartitionReport report = report(graph, of(cliques));
        assertThat(report.edgesCut()).isEqualTo(cliques - 1);
        assertThat(report.vertexBalance()).isEqualTo(1);
      }
    }
  }

  @Test
  void splitsGridsAlongLines() {
    try (Graph graph = Shapes.undirected(32 * 32, Shapes.grid(32, 32))) {
      assertThat(medianCut(graph, 2)).isBetween(32L, 36L);
      assertThat(medianCut(graph, 4)).isBetween(64L, 76L);
    }
  }

  private static long medianCut(Graph graph, int parts) {
    return LongStream.range(0, 9)
        .map(seed -> report(graph, of(parts).withSeed(seed)).edgesCut())
        .sorted()
        .toArray()[4];
  }

  @Test
  void cutsNothingBetweenComponents() {
    int[][] edges = Shapes.cliques(4, 10);
    int[][] apart = Arrays.stream(edges).filter(e -> e[0] / 10 == e[1] / 10).toArray(int[][]::new);
    try (Graph graph = Shapes.undirected(40, apart)) {
      assertThat(report(graph, of(4)).edgesCut()).isZero();
      assertThat(report(graph, of(2)).edgesCut()).isZero();
    }
  }

  @Test
  void findsPlantedCommunities() {
    try (ThreadTeam team = ThreadTeam.of(2);
        Graph graph =
            CommunityGraph.of(4000)
                .averageDegree(16)
                .communities(8)
                .classes(8)
                .homophily(0.8)
                .width(0)
                .generate(team)) {
      PartitionReport report = report(graph, of(8));
      assertThat((double) report.edgesCut() / report.edges()).isLessThan(0.22);
      assertThat(report.vertexBalance()).isLessThanOrEqualTo(1.05);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 7, 8, 13, 32, 100, 257})
  void keepsTheBalanceForAnyNumberOfParts(int parts) {
    try (Graph graph = Shapes.undirected(1000, Shapes.hubs(1000, 3000, parts))) {
      PartitionReport report = report(graph, of(parts));
      double whole = (double) Math.ceilDiv(1000, parts) * parts / 1000;
      assertThat(report.vertexBalance()).isLessThanOrEqualTo(Math.max(1.05, whole));
    }
  }

  @Test
  void hasAPartForEveryVertex() {
    try (Graph graph = Shapes.undirected(17, Shapes.hubs(17, 40, 3))) {
      assertThat(report(graph, of(17)).vertexBalance()).isEqualTo(1);
    }
  }

  @Test
  void takesGraphsWithoutEdgesOrVertices() {
    try (Graph lonely = Shapes.undirected(100, new int[0][]);
        Graph empty = Shapes.undirected(0, new int[0][])) {
      PartitionReport report = report(lonely, of(7));
      assertThat(report.edgesCut()).isZero();
      assertThat(report.vertexBalance()).isLessThanOrEqualTo(15 * 7 / 100.0);
      assertThat(partition(empty, of(1), 1).vertices()).isZero();
    }
  }

  @Test
  void balancesSeveralThingsAtOnce() {
    int[] train = IntStream.range(0, 300).toArray();
    try (Graph graph = Shapes.graph(3000, Shapes.hubs(3000, 12000, 5), true, train)) {
      PartitionSettings all =
          of(4).withBalance(1.1).withConstraints(EnumSet.allOf(Constraint.class));
      PartitionReport report = report(graph, all);
      assertThat(report.vertexBalance()).isLessThanOrEqualTo(1.1);
      assertThat(report.arcBalance()).isLessThanOrEqualTo(1.1);
      assertThat(report.trainBalance()).isLessThanOrEqualTo(1.1);
    }
  }

  @Test
  void dependsOnTheSeedAndNotOnThreads() {
    try (Graph graph = Shapes.undirected(30_000, Shapes.hubs(30_000, 60_000, 7))) {
      Partition one = partition(graph, of(5), 1);
      assertThat(partition(graph, of(5), 1)).isEqualTo(one);
      assertThat(partition(graph, of(5), 2)).isEqualTo(one);
      assertThat(partition(graph, of(5), 3)).isEqualTo(one);
      assertThat(partition(graph, of(5).withSeed(1), 2)).isNotEqualTo(one);
    }
  }

  @Test
  void refusesMorePartsThanVertices() {
    try (Graph graph = Shapes.undirected(3, new int[0][])) {
      assertThatThrownBy(() -> partition(graph, of(4), 1))
          .hasMessage("parts must be at most the 3 vertices, not 4");
      PartitionSettings train = of(2).withConstraints(EnumSet.of(Constraint.TRAIN));
      assertThatThrownBy(() -> partition(graph, train, 1)).hasMessageContaining("no split");
    }
  }
}
