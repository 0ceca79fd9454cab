package dev.heddle.graph.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.Normalisation;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;

/**
 * Samplers whose layers all follow one block: which vertices a batch has, and that it has all arcs
 * between them and no others. Against a slow and obvious reading of the same arcs.
 */
class SubgraphSamplerTest {
  private static final BlockNeeds NEEDS = new BlockNeeds(false, Normalisation.MEAN, false);

  private final Memory memory = new Memory();
  private final SplittableRandom random = RandomArcs.random(this);
  private final int vertices = 2 + random.nextInt(150);
  private final Csr in =
      RandomArcs.weighted(
          memory, random, RandomArcs.of(memory, random, vertices, random.nextBoolean()));

  @AfterEach
  void close() {
    memory.close();
  }

  private record Arc(int source, int destination, float weight) {}

  /** Arcs between the rows of some group, by the names of their ends. */
  private static List<Arc> arcs(Csr csr, Set<Integer> rows, IntUnaryOperator name) {
    List<Arc> arcs = new ArrayList<>();
    for (int row : rows) {
      for (long arc = csr.offset(row); arc < csr.offset(row + 1); arc++) {
        if (rows.contains(csr.id(arc))) {
          arcs.add(new Arc(name.applyAsInt(csr.id(arc)), name.applyAsInt(row), csr.weight(arc)));
        }
      }
    }
    return arcs;
  }

  /** The rows of a group name vertices once each, and have all arcs that the graph has between. */
  private void assertInduced(SampledBatch batch, Set<Integer> rows) {
    Set<Integer> named = new HashSet<>();
    for (int row : rows) {
      assertThat(named.add(batch.ids().at(row))).as("named once").isTrue();
    }
    assertThat(arcs(batch.hop(0).in(), rows, batch.ids()::at))
        .containsExactlyInAnyOrderElementsOf(arcs(in, named, v -> v));
  }

  /** All batches of an epoch, of which each two are sampled in the memory of others before. */
  private List<SampledBatch> sample(Sampler sampler, SeedOrder order) {
    List<SampledBatch> batches = new ArrayList<>();
    for (int b = 0; b < order.batches(); b++) {
      batches.add(sampler.newBatch(memory));
    }
    for (int b = 0; b + 1 < order.batches(); b++) {
      sampler.sample(order, b, batches.subList(b, b + 2));
    }
    sampler.sample(order, order.batches() - 1, List.of(batches.getLast()));
    return batches;
  }

  private static int rows(SampledBatch batch) {
    return batch.rows(batch.hops());
  }

  /** All vertices of the drawn parts, training vertices first; every part once in an epoch. */
  @RepeatedTest(20)
  void clustersAreWholeParts() {
    int parts = 1 + random.nextInt(Math.min(8, vertices));
    int[] partOf = IntStream.range(0, vertices).map(v -> v < parts ? v : -1).toArray();
    Arrays.setAll(partOf, v -> partOf[v] < 0 ? random.nextInt(parts) : partOf[v]);
    int[] train = RandomArcs.seeds(random, vertices, 1 + random.nextInt(vertices));
    Set<Integer> learnt = new HashSet<>(Arrays.stream(train).boxed().toList());
    var clusters = new ClusterSampler.Clusters(in, Partition.of(parts, partOf), train);
    SeedOrder order =
        SeedOrder.of(IntStream.range(0, parts).toArray(), 1 + random.nextInt(parts), 5).epoch(2);
    List<Integer> seen = new ArrayList<>();
    try (ThreadTeam team = ThreadTeam.of(2)) {
      ClusterSampler sampler = new ClusterSampler(clusters, 2, NEEDS, team, memory);
      List<SampledBatch> batches = sample(sampler, order);
      for (int b = 0; b < order.batches(); b++) {
        SampledBatch batch = batches.get(b);
        Set<Integer> drawn = new HashSet<>();
        for (int i = 0; i < order.count(b); i++) {
          drawn.add(order.vertex(b, i));
        }
        List<Integer> members =
            IntStream.range(0, vertices).filter(v -> drawn.contains(partOf[v])).boxed().toList();
        List<Integer> named = IntStream.range(0, rows(batch)).map(batch.ids()::at).boxed().toList();
        assertThat(named).containsExactlyInAnyOrderElementsOf(members);
        assertThat(named.subList(0, batch.seeds())).allMatch(learnt::contains);
        assertThat(named.subList(batch.seeds(), named.size())).noneMatch(learnt::contains);
        assertInduced(batch, rowsOf(rows(batch)));
        seen.addAll(named);
      }
    }
    assertThat(seen)
        .containsExactlyInAnyOrderElementsOf(IntStream.range(0, vertices).boxed().toList());
  }

  private static Set<Integer> rowsOf(int count) {
    return new HashSet<>(IntStream.range(0, count).boxed().toList());
  }

  /**
   * Each seed has a subgraph of its own, no larger than fan-outs allow, of vertices that so many
   * hops reach: all of these where all are taken.
   */
  @RepeatedTest(20)
  void everySeedHasASubgraphOfItsOwn() {
    boolean all = random.nextInt(3) == 0;
    int first = all ? SampleSettings.ALL : 1 + random.nextInt(5);
    int second = all ? SampleSettings.ALL : 1 + random.nextInt(5);
    var settings = new SampleSettings(SamplerKind.SHADOW, List.of(first, second), false, false);
    int[] seeds = RandomArcs.seeds(random, vertices, 1 + random.nextInt(40));
    SeedOrder order = SeedOrder.of(seeds, 1 + random.nextInt(seeds.length), 5).epoch(3);
    List<Integer> learnt = new ArrayList<>();
    try (ThreadTeam team = ThreadTeam.of(2)) {
      ShadowSampler sampler = new ShadowSampler(in, settings, 3, NEEDS, team, memory);
      for (SampledBatch batch : sample(sampler, order)) {
        Map<Integer, Set<Integer>> groups = connected(batch);
        assertThat(groups).hasSize(batch.seeds());
        for (int seed = 0; seed < batch.seeds(); seed++) {
          Set<Integer> group = groups.getOrDefault(seed, Set.of());
          assertThat(group).as("the subgraph of a seed, its first row").contains(seed);
          assertInduced(batch, group);
          List<Integer> named = group.stream().map(batch.ids()::at).toList();
          Set<Integer> near = within2(batch.ids().at(seed));
          if (all) {
            assertThat(named).containsExactlyInAnyOrderElementsOf(near);
          } else {
            assertThat(near).containsAll(named);
            assertThat(named).hasSizeLessThanOrEqualTo(1 + first + first * second);
          }
          learnt.add(batch.ids().at(seed));
        }
      }
    }
    assertThat(learnt).containsExactlyInAnyOrderElementsOf(Arrays.stream(seeds).boxed().toList());
  }

  /** Rows that arcs join, by the lowest of each group: what was reached hangs together. */
  private static Map<Integer, Set<Integer>> connected(SampledBatch batch) {
    int[] lowest = IntStream.range(0, rows(batch)).toArray();
    Csr arcs = batch.hop(0).in();
    for (boolean changed = true; changed; ) {
      changed = false;
      for (int row = 0; row < arcs.rows(); row++) {
        for (long arc = arcs.offset(row); arc < arcs.offset(row + 1); arc++) {
          int source = arcs.id(arc);
          int least = Math.min(lowest[row], lowest[source]);
          changed |= lowest[row] != least || lowest[source] != least;
          lowest[row] = least;
          lowest[source] = least;
        }
      }
    }
    Map<Integer, Set<Integer>> groups = new HashMap<>();
    for (int row = 0; row < lowest.length; row++) {
      groups.computeIfAbsent(lowest[row], _ -> new HashSet<>()).add(row);
    }
    return groups;
  }

  /** The vertices that two hops reach at most. */
  private Set<Integer> within2(int seed) {
    Set<Integer> reached = new HashSet<>(Set.of(seed));
    for (int hop = 0; hop < 2; hop++) {
      for (int v : List.copyOf(reached)) {
        for (long arc = in.offset(v); arc < in.offset(v + 1); arc++) {
          reached.add(in.id(arc));
        }
      }
    }
    return reached;
  }
}
