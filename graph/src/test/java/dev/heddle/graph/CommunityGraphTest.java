package dev.heddle.graph;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.ThreadTeam;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommunityGraphTest {
  private final SplittableRandom random = TestSeed.random(this);

  private static Graph generate(CommunityGraph settings) {
    return generate(settings, 1);
  }

  private static Graph generate(CommunityGraph settings, int threads) {
    try (ThreadTeam team = ThreadTeam.of(threads)) {
      return settings.generate(team);
    }
  }

  private static int label(Graph graph, int vertex) {
    return ((ClassLabels) requireNonNull(graph.labels())).at(vertex);
  }

  @ParameterizedTest
  @CsvSource({
    "8000, 20, 8, 0.8, 2.5",
    "4000, 50, 4, 0.8, 2.1",
    "4000, 40, 20, 0.9, 2.5",
    "5000, 10, 5, 1, 3",
    "5000, 10, 5, 0, 3",
    "3000, 4, 30, 0.5, 2.2",
    "2000, 40, 25, 0.95, 100",
  })
  void arcsAndHomophilyAreAsWished(
      int vertices, double degree, int communities, double homophily, double exponent) {
    CommunityGraph settings =
        CommunityGraph.of(vertices)
            .averageDegree(degree)
            .communities(communities)
            .classes(communities)
            .homophily(homophily)
            .exponent(exponent)
            .width(0)
            .seed(random.nextLong());
    try (Graph graph = generate(settings)) {
      assertThat((double) graph.arcs())
          .isBetween(0.98 * vertices * degree, 1.02 * vertices * degree);
      Csr in = graph.in();
      long inside = 0;
      for (int v = 0; v < vertices; v++) {
        int previous = -1;
        for (long arc = in.offset(v); arc < in.offset(v + 1); arc++) {
          int u = in.id(arc);
          if (u <= previous || u == v) {
            assertThat(u).describedAs("loop or repetition at %d", v).isNegative();
          }
          previous = u;
          inside += label(graph, u) == label(graph, v) ? 1 : 0;
        }
      }
      assertThat((double) inside / graph.arcs()).isCloseTo(homophily, within(0.02));
      assertThat(Transpose.of(graph.memory(), in).ids().mismatch(in.ids())).isEqualTo(-1);
    }
  }

  @Test
  void degreesFollowAPowerLaw() {
    CommunityGraph settings = CommunityGraph.of(20_000).averageDegree(20).width(0);
    try (Graph steep = generate(settings.exponent(2.2).seed(random.nextLong()));
        Graph flat = generate(settings.exponent(50))) {
      assertThat(largestDegree(steep)).isGreaterThan(250);
      assertThat(largestDegree(flat)).isLessThan(60);
    }
  }

  private static long largestDegree(Graph graph) {
    long largest = 0;
    for (int v = 0; v < graph.vertices(); v++) {
      largest = Math.max(largest, graph.in().degree(v));
    }
    return largest;
  }

  @Test
  void theSameSettingsGiveTheSameBitsForAnyNumberOfThreads() {
    CommunityGraph settings =
        CommunityGraph.of(3000).width(9).classes(5).communities(6).seed(random.nextLong());
    try (Graph one = generate(settings);
        Graph three = generate(settings, 3);
        Graph other = generate(settings.seed(random.nextLong()))) {
      assertThat(ArcTable.of(three.in())).isEqualTo(ArcTable.of(one.in()));
      assertThat(features(three).toArray()).isDeepEqualTo(features(one).toArray());
      assertThat(requireNonNull(three.split()).train())
          .isEqualTo(requireNonNull(one.split()).train());
      assertThat(ArcTable.of(other.in())).isNotEqualTo(ArcTable.of(one.in()));
    }
  }

  private static Matrix features(Graph graph) {
    return ((DenseFeatures) requireNonNull(graph.features())).matrix();
  }

  @Test
  void featuresTellClassesToTheMeanOfNeighboursOnly() {
    CommunityGraph settings =
        CommunityGraph.of(4000)
            .width(32)
            .classes(8)
            .communities(8)
            .noise(4)
            .seed(random.nextLong());
    try (Graph graph = generate(settings)) {
      Matrix x = features(graph);
      double[][] centres = new double[8][32];
      double square = 0;
      for (int v = 0; v < 4000; v++) {
        for (int c = 0; c < 32; c++) {
          centres[label(graph, v)][c] += x.get(v, c) / 500;
          square += x.get(v, c) * x.get(v, c);
        }
      }
      assertThat(square / (4000 * 32)).isCloseTo(1, within(0.05));
      int alone = 0;
      int together = 0;
      for (int v = 0; v < 4000; v++) {
        double[] own = new double[32];
        double[] mean = new double[32];
        for (int c = 0; c < 32; c++) {
          own[c] = x.get(v, c);
          for (long arc = graph.in().offset(v); arc < graph.in().offset(v + 1); arc++) {
            mean[c] += x.get(graph.in().id(arc), c) / graph.in().degree(v);
          }
        }
        alone += nearest(centres, own) == label(graph, v) ? 1 : 0;
        together += nearest(centres, mean) == label(graph, v) ? 1 : 0;
      }
      assertThat(alone / 4000.0).isBetween(0.25, 0.75);
      assertThat(together / 4000.0).isGreaterThan(0.85);
    }
  }

  private static int nearest(double[][] centres, double[] point) {
    int best = -1;
    double bestDistance = Double.MAX_VALUE;
    for (int label = 0; label < centres.length; label++) {
      double distance = 0;
      for (int c = 0; c < point.length; c++) {
        distance += Math.pow(centres[label][c] - point[c], 2);
      }
      if (distance < bestDistance) {
        best = label;
        bestDistance = distance;
      }
    }
    return best;
  }

  @Test
  void withoutShufflingCommunitiesFollowOneAnother() {
    CommunityGraph settings =
        CommunityGraph.of(1000).communities(10).classes(5).width(0).shuffled(false);
    try (Graph graph = generate(settings)) {
      for (int v = 0; v < 1000; v++) {
        assertThat(label(graph, v)).isEqualTo(v / 100 % 5);
      }
      assertThat(graph.features()).isNull();
    }
  }

  @Test
  void splitsAreDisjointAndOfTheWishedSizes() {
    try (Graph graph = generate(CommunityGraph.of(1000).communities(10).split(0.5, 0.2).width(1))) {
      Split split = requireNonNull(graph.split());
      assertThat(split.train()).hasSize(500).isSorted();
      assertThat(split.valid()).hasSize(200).isSorted();
      assertThat(split.test()).hasSize(300).isSorted();
      boolean[] seen = new boolean[1000];
      for (int[] part : new int[][] {split.train(), split.valid(), split.test()}) {
        for (int v : part) {
          assertThat(seen[v]).isFalse();
          seen[v] = true;
        }
      }
    }
  }

  @Test
  void wrongSettingsAreNamed() {
    CommunityGraph settings = CommunityGraph.of(100);
    fails(() -> CommunityGraph.of(1), "vertices must be at least 2, not 1");
    fails(
        () -> settings.averageDegree(100),
        "averageDegree must be above 0 and below vertices, not 100");
    fails(() -> settings.exponent(1), "exponent must be above 1, not 1");
    fails(() -> settings.communities(51), "communities must be 1 to vertices / 2, not 51");
    fails(() -> settings.classes(0), "classes must be at least 1, not 0");
    fails(() -> settings.homophily(1.5), "homophily must be 0 to 1, not 1.5");
    fails(() -> settings.homophily(Double.NaN), "homophily must be 0 to 1, not NaN");
    fails(() -> settings.width(-1), "width must be at least 0, not -1");
    fails(() -> settings.noise(-0.5), "noise must be 0 to a million, not -0.5");
    fails(() -> settings.split(0, 0.5), "train must be above 0 and at most 1, not 0");
    fails(() -> settings.split(0.6, 0.5), "valid must be 0 to 1 - train, not 0.5");
    fails(
        () -> generate(settings.communities(5).classes(6)),
        "classes must be at most the 5 communities, not 6");
    fails(
        () -> generate(settings.classes(5).averageDegree(20)),
        "averageDegree must be smaller for homophily 0.8 and communities of 20, not 20");
    fails(
        () -> generate(settings.communities(1).classes(1)),
        "communities must be above 1 for homophily below 1, not 1");
  }

  private static void fails(Runnable settings, String message) {
    assertThatThrownBy(settings::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void aliasTablesDrawByWeight() {
    double[] weights = {1, 0, 3, 4, 2, 2, 0.5, 7.5};
    AliasTables tables = new AliasTables(weights, new int[] {0, 1, 4, 8});
    int draws = 200_000;
    long key = random.nextLong();
    double[] sums = {1, 7, 12};
    int[] begins = {0, 1, 4, 8};
    for (int group = 0; group < 3; group++) {
      int[] counts = new int[weights.length];
      for (int i = 0; i < draws; i++) {
        counts[tables.draw(group, Draws.at(key, i))]++;
      }
      for (int i = 0; i < weights.length; i++) {
        boolean member = i >= begins[group] && i < begins[group + 1];
        double share = member ? weights[i] / sums[group] : 0;
        assertThat((double) counts[i] / draws).isCloseTo(share, within(0.01));
      }
    }
  }
}
