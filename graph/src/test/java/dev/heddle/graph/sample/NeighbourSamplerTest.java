package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a sample looks like, against a slow and obvious reading of the same arcs. */
class NeighbourSamplerTest {
  private final Memory memory = new Memory();
  private final SplittableRandom random = RandomArcs.random(this);

  @AfterEach
  void close() {
    memory.close();
  }

  /** A batch read out of its memory. */
  private record Read(List<Integer> vertices, List<Integer> rows, List<List<Arc>> hops) {}

  private record Arc(int source, int destination, float weight) {
    Arc reversed() {
      return new Arc(/* source= */ destination, /* destination= */ source, weight);
    }
  }

  private static Read read(SampledBatch batch) {
    List<Integer> rows = new ArrayList<>();
    List<List<Arc>> hops = new ArrayList<>();
    for (int d = 0; d <= batch.hops(); d++) {
      rows.add(batch.rows(d));
    }
    for (int h = 0; h < batch.hops(); h++) {
      hops.add(arcs(batch.hop(h).in()));
    }
    List<Integer> vertices = new ArrayList<>();
    for (int row = 0; row < rows.getLast(); row++) {
      vertices.add(batch.ids().at(row));
    }
    return new Read(vertices, rows, hops);
  }

  private static List<Arc> arcs(Csr csr) {
    List<Arc> arcs = new ArrayList<>();
    for (int row = 0; row < csr.rows(); row++) {
      for (long arc = csr.offset(row); arc < csr.offset(row + 1); arc++) {
        arcs.add(new Arc(csr.id(arc), row, csr.weight(arc)));
      }
    }
    return arcs;
  }

  private static Read sample(SampleCase c, int threads, long epoch, int batch) {
    try (Memory own = new Memory();
        ThreadTeam team = ThreadTeam.of(threads)) {
      NeighbourSampler sampler = c.sampler(team, own);
      SampledBatch into = sampler.newBatch(own);
      SeedOrder order = SeedOrder.of(c.seeds(), c.batchSize(), 5).epoch(epoch);
      sampler.sample(order, batch, List.of(into));
      return read(into);
    }
  }

  @Test
  void rowsArePrefixesAndArcsAreOfTheGraph() {
    for (int i = 0; i < 60; i++) {
      SampleCase c = SampleCase.random(random, memory);
      SeedOrder order = SeedOrder.of(c.seeds(), c.batchSize(), 5).epoch(i);
      int batch = random.nextInt(order.batches());
      Read read = sample(c, 1 + random.nextInt(3), i, batch);
      assertThat(read.rows.getFirst()).isEqualTo(order.count(batch));
      for (int s = 0; s < order.count(batch); s++) {
        assertThat(read.vertices.get(s)).isEqualTo(order.vertex(batch, s));
      }
      assertThat(new LinkedHashSet<>(read.vertices)).hasSameSizeAs(read.vertices);
      for (int h = 0; h < read.hops.size(); h++) {
        checkHop(c, read, h);
      }
    }
  }

  private static void checkHop(SampleCase c, Read read, int h) {
    boolean raw = c.needs().sumsLastHop() && h == read.hops.size() - 1;
    int destinations = read.rows.get(h);
    Set<Integer> seen = new LinkedHashSet<>(read.vertices.subList(0, destinations));
    Map<Long, Integer> drawn = new HashMap<>();
    int[] counts = new int[destinations];
    for (Arc arc : read.hops.get(h)) {
      int v = read.vertices.get(arc.destination);
      int u = raw ? arc.source : read.vertices.get(arc.source);
      seen.add(u);
      boolean self = c.needs().selfLoops() && u == v;
      counts[arc.destination] += self ? 0 : 1;
      int times = drawn.merge((long) u << 32 | v, 1, Integer::sum);
      if (self) {
        assertThat(times).isEqualTo(1);
      } else if (c.settings().replace() && c.settings().fanouts().get(h) > 0) {
        assertThat(multiplicity(c.in(), u, v)).isPositive();
      } else {
        assertThat(times).isLessThanOrEqualTo(multiplicity(c.in(), u, v));
      }
    }
    if (!raw) {
      // In the order of first naming: T-B6.
      assertThat(read.vertices.subList(0, read.rows.get(h + 1))).isEqualTo(List.copyOf(seen));
    }
    if (c.settings().kind() != SamplerKind.LABOR) {
      for (int row = 0; row < destinations; row++) {
        assertThat(counts[row]).isEqualTo(expected(c, read.vertices.get(row), h));
      }
    }
  }

  private static int multiplicity(Csr in, int source, int destination) {
    int count = 0;
    for (long arc = in.offset(destination); arc < in.offset(destination + 1); arc++) {
      count += in.id(arc) == source ? 1 : 0;
    }
    return count;
  }

  /** The number of arcs that a sampler written with a list would draw. */
  private static int expected(SampleCase c, int vertex, int hop) {
    int degree = 0;
    for (long arc = c.in().offset(vertex); arc < c.in().offset(vertex + 1); arc++) {
      boolean loop = c.needs().selfLoops() && c.in().id(arc) == vertex;
      boolean never = c.settings().byWeight() && c.in().weight(arc) == 0;
      degree += loop || (never && c.settings().fanouts().get(hop) > 0) ? 0 : 1;
    }
    int fanout = c.settings().fanouts().get(hop);
    if (fanout == SampleSettings.ALL || degree == 0) {
      return degree;
    }
    return c.settings().replace() ? fanout : Math.min(fanout, degree);
  }

  @Test
  void theSameForAnyNumberOfThreads() {
    for (int i = 0; i < 20; i++) {
      SampleCase c = SampleCase.random(random, memory);
      Read one = sample(c, 1, i, 0);
      assertThat(sample(c, 2, i, 0)).isEqualTo(one);
      assertThat(sample(c, 3, i, 0)).isEqualTo(one);
    }
  }

  @Test
  void memoryOfOneBatchServesTheNext() {
    for (int i = 0; i < 15; i++) {
      SampleCase c = SampleCase.random(random, memory);
      try (ThreadTeam team = ThreadTeam.of(2)) {
        NeighbourSampler sampler = c.sampler(team, memory);
        SampledBatch into = sampler.newBatch(memory);
        SeedOrder order = SeedOrder.of(c.seeds(), c.batchSize(), 5);
        for (int epoch = 1; epoch <= 3; epoch++) {
          order.epoch(epoch);
          for (int b = 0; b < Math.min(4, order.batches()); b++) {
            sampler.sample(order, b, List.of(into));
            assertThat(read(into)).isEqualTo(sample(c, 1, epoch, b));
            checkBlocks(c, into);
          }
        }
      }
    }
  }

  /** Several batches at once are what they are one by one. */
  @Test
  void batchesDoNotDependOnHowManyAreSampledAtOnce() {
    for (int i = 0; i < 15; i++) {
      SampleCase c = SampleCase.random(random, memory);
      int epoch = i;
      try (ThreadTeam team = ThreadTeam.of(2)) {
        NeighbourSampler sampler = c.sampler(team, memory);
        SeedOrder order = SeedOrder.of(c.seeds(), c.batchSize(), 5).epoch(epoch);
        int first = random.nextInt(order.batches());
        int count = Math.min(order.batches() - first, NeighbourSampler.MOST_BATCHES);
        List<SampledBatch> batches =
            IntStream.range(0, count).mapToObj(_ -> sampler.newBatch(memory)).toList();
        sampler.sample(order, first, batches);
        for (int k = 0; k < count; k++) {
          assertThat(batches.get(k).number()).isEqualTo(first + k);
          assertThat(read(batches.get(k))).isEqualTo(sample(c, 1, epoch, first + k));
        }
      }
    }
  }

  @Test
  void moreBatchesThanKeysAreRefused() {
    SampleCase c = SampleCase.random(random, memory);
    try (ThreadTeam team = ThreadTeam.of(1)) {
      NeighbourSampler sampler = c.sampler(team, memory);
      SampledBatch batch = sampler.newBatch(memory);
      SeedOrder order = SeedOrder.of(c.seeds(), 1, 5).epoch(1);
      assertThatThrownBy(() -> sampler.sample(order, 0, Collections.nCopies(33, batch)))
          .hasMessageContaining("at most 32 batches");
    }
  }

  /** Whoever knows addresses of a batch asks its memory whether they still hold. */
  @Test
  void nothingMovesWithoutAnAllocation() {
    int stayed = 0;
    for (int i = 0; i < 15; i++) {
      SampleCase c = SampleCase.random(random, memory);
      try (Memory own = new Memory();
          ThreadTeam team = ThreadTeam.of(2)) {
        SampledBatch batch = c.sampler(team, memory).newBatch(own);
        NeighbourSampler sampler = c.sampler(team, memory);
        SeedOrder order = SeedOrder.of(c.seeds(), c.batchSize(), 5).epoch(1);
        sampler.sample(order, 0, List.of(batch));
        for (int b = 0; b < Math.min(8, order.batches()); b++) {
          List<Object> before = parts(c, batch);
          long allocations = own.allocations();
          sampler.sample(order, b, List.of(batch));
          if (own.allocations() == allocations) {
            assertThat(parts(c, batch)).usingElementComparator(identity()).isEqualTo(before);
            stayed++;
          }
        }
        assertThat(batch.bytes()).isEqualTo(own.bytes());
      }
    }
    assertThat(stayed).isPositive();
  }

  private static Comparator<Object> identity() {
    return (one, other) -> one == other ? 0 : 1;
  }

  private static List<Object> parts(SampleCase c, SampledBatch batch) {
    List<Object> parts = new ArrayList<>(List.of(batch.ids()));
    for (int h = 0; h < batch.hops(); h++) {
      parts.add(batch.hop(h).in());
      if (!c.needs().sumsLastHop() || h < batch.hops() - 1) {
        parts.add(batch.hop(h).block());
      }
    }
    return parts;
  }

  private static void checkBlocks(SampleCase c, SampledBatch batch) {
    for (int h = 0; h < batch.hops(); h++) {
      if (c.needs().sumsLastHop() && h == batch.hops() - 1) {
        continue;
      }
      Csr in = batch.hop(h).block().in();
      Csr out = batch.hop(h).block().out();
      List<Arc> turned = new ArrayList<>();
      for (Arc arc : arcs(out)) {
        turned.add(arc.reversed());
      }
      turned.sort(Comparator.comparingInt(Arc::destination).thenComparingInt(Arc::source));
      List<Arc> straight = new ArrayList<>(arcs(in));
      straight.sort(Comparator.comparingInt(Arc::destination).thenComparingInt(Arc::source));
      assertThat(turned.equals(straight)).isTrue();
      assertThat(out.rows()).isEqualTo(in.cols());
      if (c.needs().aggregation() == null) {
        checkPlaces(batch, h);
      }
    }
  }

  private static void checkPlaces(SampledBatch batch, int h) {
    var twins = batch.hop(h).block().arcTwins();
    for (int source = 0; source < twins.out().rows(); source++) {
      for (long arc = twins.out().offset(source); arc < twins.out().offset(source + 1); arc++) {
        long there = twins.inArcs().getAtIndex(JAVA_LONG, arc);
        assertThat(twins.in().id(there)).isEqualTo(source);
        int row = twins.out().id(arc);
        assertThat(there).isBetween(twins.in().offset(row), twins.in().offset(row + 1) - 1);
      }
    }
  }

  /** Whoever samples a vertex, and with whom, draws the same arcs for it. */
  @Test
  void drawsBelongToTheVertex() {
    Csr in = RandomArcs.of(memory, random, 200, false);
    var settings = SampleSettings.neighbours(4);
    var needs = new BlockNeeds(false, Normalisation.MEAN, true);
    int[] seeds = RandomArcs.seeds(random, 200, 120);
    Map<Integer, List<Integer>> all = drawn(new SampleCase(in, settings, needs, seeds, 200));
    int[] half = Arrays.copyOf(seeds, 60);
    drawn(new SampleCase(in, settings, needs, half, 200))
        .forEach((v, sources) -> assertThat(all.get(v)).isEqualTo(sources));
  }

  private static Map<Integer, List<Integer>> drawn(SampleCase c) {
    Read read = sample(c, 2, 1, 0);
    Map<Integer, List<Integer>> byVertex = new HashMap<>();
    for (Arc arc : read.hops.getFirst()) {
      byVertex
          .computeIfAbsent(read.vertices.get(arc.destination), _ -> new ArrayList<>())
          .add(arc.source);
    }
    return byVertex;
  }

  @Test
  void weightsAreRefusedWhereThereAreNone() {
    Csr in = RandomArcs.of(memory, random, 5, false);
    try (ThreadTeam team = ThreadTeam.of(1)) {
      assertThatThrownBy(() ->
              NeighbourSampler.of(
                  OwnArcs.whole(in),
                  SampleSettings.neighbours(3).weighted(),
                  new BlockNeeds(false, Normalisation.MEAN, false),
                  team,
                  memory,
                  ArcExchange.NONE))
          .hasMessageContaining("cannot be drawn by weight");
    }
    assertThatThrownBy(() -> SampleSettings.neighbours(3, 0)).hasMessageContaining("at least 1");
  }

  /** Every batch of an epoch, and every vertex once. */
  @Test
  void seedsAreShuffledAnewInEveryEpoch() {
    int[] vertices = RandomArcs.seeds(random, 90, 50);
    SeedOrder order = SeedOrder.of(vertices, 8, random.nextLong());
    List<Integer> first = all(order.epoch(1));
    List<Integer> second = all(order.epoch(2));
    assertThat(first).isNotEqualTo(second).containsExactlyInAnyOrderElementsOf(second);
    assertThat(all(order.epoch(1))).isEqualTo(first);
    assertThat(order.batches()).isEqualTo(7);
    assertThat(order.count(6)).isEqualTo(2);
    assertThat(first).hasSize(50);
  }

  private static List<Integer> all(SeedOrder order) {
    List<Integer> all = new ArrayList<>();
    for (int b = 0; b < order.batches(); b++) {
      for (int i = 0; i < order.count(b); i++) {
        all.add(order.vertex(b, i));
      }
    }
    return all;
  }
}
