package dev.heddle.graph;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.ArcTable.Arc;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class VertexOrderTest {
  private final Memory memory = new Memory();
  private final SplittableRandom random = TestSeed.random(this);

  @AfterEach
  void close() {
    memory.close();
  }

  private Csr randomArcs(int vertices, int arcs) {
    return ArcTable.list(memory, ArcTable.random(random, vertices, arcs), true)
        .toCsr(memory, vertices, Set.of());
  }

  private static int[] places(Permutation order) {
    return IntStream.range(0, order.size()).map(order::oldOf).toArray();
  }

  @ParameterizedTest
  @EnumSource
  void everyOrderIsAPermutationThatTheSeedDetermines(VertexOrder order) {
    for (int vertices : new int[] {1, 2, 10, 3000}) {
      Csr csr = randomArcs(vertices, random.nextInt(3 * vertices));
      int[] places = places(order.of(csr, 5, memory));
      assertThat(places).isEqualTo(places(order.of(csr, 5, memory)));
      int[] sorted = places.clone();
      Arrays.sort(sorted);
      assertThat(sorted).isEqualTo(IntStream.range(0, vertices).toArray());
    }
  }

  @Test
  void degreesFallAndEqualOnesKeepTheirOrder() {
    Csr csr = Csr.of(memory, 4, new int[][] {{1}, {0, 2}, {3}, {0, 1, 2}});
    assertThat(places(VertexOrder.DEGREE.of(csr, 0, memory))).containsExactly(3, 1, 0, 2);
  }

  @Test
  void breadthFirstGoesByDistance() {
    Csr csr = Csr.of(memory, 6, new int[][] {{3}, {}, {3}, {0, 2}, {1}, {}});
    assertThat(places(VertexOrder.BFS.of(csr, 0, memory))).containsExactly(0, 3, 2, 1, 4, 5);
  }

  @Test
  void communitiesComeTogether() {
    try (ThreadTeam team = ThreadTeam.of(1);
        Graph graph =
            CommunityGraph.of(6000)
                .communities(6)
                .classes(6)
                .averageDegree(24)
                .width(0)
                .seed(random.nextLong())
                .generate(team);
        Graph ordered = graph.reordered(VertexOrder.COMMUNITY)) {
      // Planted communities are classes here: in a random order they change at nearly every vertex.
      assertThat(changes(graph)).isGreaterThan(4000);
      assertThat(changes(ordered)).isLessThan(600);
    }
  }

  private static int changes(Graph graph) {
    ClassLabels labels = (ClassLabels) requireNonNull(graph.labels());
    return (int)
        IntStream.range(1, graph.vertices()).filter(v -> labels.at(v) != labels.at(v - 1)).count();
  }

  @Test
  void clustersKeepToTheirCapacity() {
    Csr csr = randomArcs(500, 4000);
    int[] weights = IntStream.generate(() -> 1 + random.nextInt(5)).limit(500).toArray();
    for (int capacity : new int[] {1, 5, 40, 10_000}) {
      int[] clusters = LabelPropagation.clusters(csr, weights, capacity, 3);
      int[] loads = new int[500];
      int highest = -1;
      for (int v = 0; v < 500; v++) {
        assertThat(clusters[v]).isBetween(0, highest + 1);
        highest = Math.max(highest, clusters[v]);
        loads[clusters[v]] += weights[v];
      }
      // A vertex that is heavier than a cluster may be stays alone.
      assertThat(Arrays.stream(loads).max().orElse(0)).isLessThanOrEqualTo(Math.max(capacity, 5));
    }
  }

  @Test
  void twoCliquesAreTwoClusters() {
    int[][] rows = new int[10][];
    for (int v = 0; v < 10; v++) {
      int first = v < 5 ? 0 : 5;
      int self = v;
      rows[v] = IntStream.range(first, first + 5).filter(u -> u != self).toArray();
    }
    int[] ones = new int[10];
    Arrays.fill(ones, 1);
    for (int seed = 0; seed < 20; seed++) {
      assertThat(LabelPropagation.clusters(Csr.of(memory, 10, rows), ones, 100, seed))
          .containsExactly(0, 0, 0, 0, 0, 1, 1, 1, 1, 1);
    }
  }

  @Test
  void arcsOfAnOrderedGraphAreThoseOfTheUser() {
    Csr csr = randomArcs(40, 200);
    Memory own = new Memory();
    try (Graph graph = Graph.builder(own, "g", csr).build();
        Graph once = graph.reordered(VertexOrder.COMMUNITY);
        Graph twice = once.reordered(VertexOrder.DEGREE)) {
      List<Arc> told =
          ArcTable.of(twice.in()).stream()
              .map(a ->
                  new Arc(
                      twice.userIndex(a.source()), twice.userIndex(a.destination()), a.weight()))
              .toList();
      assertThat(ArcTable.sorted(told))
          .containsExactlyInAnyOrderElementsOf(ArcTable.of(graph.in()));
    }
  }
}
