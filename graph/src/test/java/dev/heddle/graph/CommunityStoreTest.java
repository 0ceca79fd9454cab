package dev.heddle.graph;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.store.GraphAssert;
import dev.heddle.graph.store.InMemoryDir;
import dev.heddle.graph.store.Store;
import dev.heddle.graph.store.StoreDraft;
import dev.heddle.kernel.ThreadTeam;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommunityStoreTest {
  private final SplittableRandom random = TestSeed.random(this);

  @TempDir(factory = InMemoryDir.class)
  private Path folder;

  private CommunityGraph settings() {
    int vertices = 200 + random.nextInt(3000);
    int communities = 1 + random.nextInt(5);
    CommunityGraph settings =
        CommunityGraph.of(vertices)
            .communities(communities)
            .classes(1 + random.nextInt(communities))
            .homophily(communities == 1 ? 1 : random.nextDouble())
            .averageDegree(1 + random.nextInt(12))
            .exponent(2 + random.nextDouble())
            .width(random.nextInt(20))
            .clustered(random.nextBoolean())
            .shuffled(random.nextBoolean())
            .split(0.01 + 0.5 * random.nextDouble(), 0.2)
            .seed(random.nextLong());
    return random.nextBoolean() ? settings : settings.width(50).words(1 + random.nextInt(9));
  }

  @Test
  void theStoreIsTheGraphMadeInMemory() {
    Path path = folder.resolve("store");
    for (int i = 0; i < 15; i++) {
      CommunityGraph settings = settings();
      try (ThreadTeam team = ThreadTeam.of(1 + random.nextInt(3));
          Graph graph = settings.generate(team)) {
        settings.generate(team, path, true);
        Store.open(path).verify();
        try (Graph stored = Graph.open(path)) {
          GraphAssert.same(stored, graph);
          assertThat(stored.symmetric()).isTrue();
        }
      }
    }
  }

  @Test
  void theBytesAreTheSameForAnyNumberOfThreads() throws IOException {
    CommunityGraph settings = CommunityGraph.of(20_000).width(3).seed(random.nextLong());
    for (int threads = 1; threads <= 3; threads++) {
      try (ThreadTeam team = ThreadTeam.of(threads)) {
        settings.generate(team, folder.resolve("store" + threads), false);
      }
    }
    try (Stream<Path> files = Files.list(folder.resolve("store1"))) {
      for (Path file : files.toList()) {
        for (int threads = 2; threads <= 3; threads++) {
          Path other = folder.resolve("store" + threads).resolve(file.getFileName());
          assertThat(other).hasSameBinaryContentAs(file);
        }
      }
    }
  }

  @Test
  void bucketsSortAndRemoveRepetitions() {
    for (int vertices : new int[] {1, 2, 7, 64, 65, 1000}) {
      try (StoreDraft draft = StoreDraft.begin(folder.resolve("store"), false);
          ArcBuckets buckets = new ArcBuckets(draft, vertices, 7.0 * (1 << 22))) {
        TreeSet<Long> expected = new TreeSet<>();
        for (int round = 0; round < 3; round++) {
          try (ArcBuckets.Writer writer = buckets.writer()) {
            for (int i = 0; i < 3000; i++) {
              int row = random.nextInt(vertices);
              int id = random.nextInt(vertices);
              writer.add(row, id);
              expected.add((long) row << 32 | id);
            }
          }
          buckets.flush();
          assertThat(sorted(buckets)).containsExactlyElementsOf(expected);
        }
        assertThat(buckets.count()).isGreaterThanOrEqualTo(Math.min(vertices, 4));
      }
    }
  }

  private static Iterable<Long> sorted(ArcBuckets buckets) {
    var arcs = new ArrayList<Long>();
    SortedRows rows = new SortedRows();
    for (int bucket = 0; bucket < buckets.count(); bucket++) {
      rows.sort(buckets, bucket);
      int arc = 0;
      for (int row = 0; row < rows.rows(); row++) {
        for (; arc < rows.end(row); arc++) {
          arcs.add((long) (rows.firstRow() + row) << 32 | rows.id(arc));
        }
      }
      assertThat(arc).isEqualTo(rows.size());
    }
    return arcs;
  }

  @Test
  void clusteredTrainingVerticesAreInFewCommunities() {
    CommunityGraph settings =
        CommunityGraph.of(10_000)
            .communities(100)
            .classes(5)
            .width(0)
            .split(0.02, 0.1)
            .clustered(true)
            .shuffled(false)
            .seed(random.nextLong());
    try (ThreadTeam team = ThreadTeam.of(1);
        Graph graph = settings.generate(team)) {
      Split split = requireNonNull(graph.split());
      assertThat(split.train()).hasSize(200).isSorted();
      assertThat(split.valid()).hasSize(1000).isSorted();
      assertThat(split.test()).hasSize(8800).isSorted();
      TreeSet<Integer> communities = new TreeSet<>();
      TreeSet<Integer> classes = new TreeSet<>();
      for (int v : split.train()) {
        communities.add(v / 100);
        classes.add(((ClassLabels) requireNonNull(graph.labels())).at(v));
      }
      assertThat(communities).hasSize(5);
      assertThat(classes).hasSize(5);
    }
  }

  @Test
  void classesHaveWordsOfTheirOwn() {
    CommunityGraph settings =
        CommunityGraph.of(2000).communities(4).classes(4).width(400).words(20).noise(1);
    try (ThreadTeam team = ThreadTeam.of(1);
        Graph graph = settings.generate(team)) {
      SparseFeatures features = (SparseFeatures) requireNonNull(graph.features());
      int[][] uses = new int[4][400];
      for (int v = 0; v < 2000; v++) {
        int label = ((ClassLabels) requireNonNull(graph.labels())).at(v);
        assertThat(features.byRow().degree(v)).isBetween(8L, 20L);
        for (long i = features.byRow().offset(v); i < features.byRow().offset(v + 1); i++) {
          uses[label][features.byRow().id(i)]++;
        }
      }
      // A favourite of one class and no other is used by it some ten times as often.
      int telling = 0;
      for (int word = 0; word < 400; word++) {
        telling += uses[0][word] > 4 * (uses[1][word] + 1) ? 1 : 0;
      }
      assertThat(telling).isGreaterThan(20);
    }
  }
}
