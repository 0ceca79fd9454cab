package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workers that sample together have the rows and arcs of one worker, each those it owns. */
class CooperativeSamplingTest {
  private final Memory memory = new Memory();
  private final SplittableRandom random = RandomArcs.random(this);

  @AfterEach
  void close() {
    memory.close();
  }

  /** A hop of one batch at one worker, or at one that is alone. */
  private record Hop(List<Integer> rows, List<List<String>> arcs, List<Float> roots) {}

  /** What goes from each worker to each other, by vertex, in its order. */
  private record Moves(List<List<Integer>> sent, List<List<Integer>> received) {}

  /** By hop. */
  private record Sample(List<Hop> hops, List<Moves> moves) {}

  @Test
  void allTogetherSampleWhatOneDoes() {
    for (int i = 0; i < 60; i++) {
      SampleCase any = SampleCase.random(random, memory);
      BlockNeeds needs = new BlockNeeds(any.needs().selfLoops(), any.needs().aggregation(), false);
      SampleCase c = new SampleCase(any.in(), any.settings(), needs, any.seeds(), any.batchSize());
      check(c, 1 + random.nextInt(5), 1 + random.nextInt(6), 1 + random.nextInt(2));
    }
  }

  private void check(SampleCase c, int workers, int atOnce, int threads) {
    // One worker has less than others, or nothing at all.
    int[] part =
        IntStream.range(0, c.in().rows())
            .map(_ -> Math.min(random.nextInt(workers), random.nextInt(workers)))
            .toArray();
    Partition owners = Partition.of(workers, part);
    List<Sample> alone;
    try (Memory own = new Memory();
        ThreadTeam team = ThreadTeam.of(1)) {
      alone = samples(c.sampler(team, own), c, SeedOrder.of(c.seeds(), c.batchSize(), 5), 1, own);
    }
    List<List<Sample>> together = new ArrayList<>();
    for (int w = 0; w < workers; w++) {
      together.add(List.of());
    }
    try (Memory own = memory.child()) {
      ThreadExchange exchange = new ThreadExchange(workers, own);
      exchange.run(
          worker -> together.set(worker, sample(c, owners, worker, exchange, atOnce, threads)));
    }
    for (int b = 0; b < alone.size(); b++) {
      int batch = b;
      assertTogether(alone.get(b), together.stream().map(all -> all.get(batch)).toList(), owners);
    }
  }

  private static List<Sample> sample(
      SampleCase c,
      Partition owners,
      int worker,
      ThreadExchange exchange,
      int atOnce,
      int threads) {
    try (Memory own = new Memory();
        ThreadTeam team = ThreadTeam.of(threads)) {
      OwnArcs arcs = OwnArcs.of(c.in(), owners, worker, own);
      var sampler =
          CooperativeSampler.of(arcs, c.settings(), 0, c.needs(), team, own, exchange.of(worker));
      SeedOrder order = SeedOrder.of(c.seeds(), c.batchSize(), 5);
      return samples(sampler, c, order.seeing(v -> owners.partOf(v) == worker), atOnce, own);
    }
  }

  private static List<Sample> samples(
      Sampler sampler, SampleCase c, SeedOrder seeds, int atOnce, Memory memory) {
    List<SampledBatch> batches =
        IntStream.range(0, atOnce).mapToObj(_ -> sampler.newBatch(memory)).toList();
    List<Sample> samples = new ArrayList<>();
    for (int epoch = 1; epoch <= 2; epoch++) {
      int all = seeds.epoch(epoch).batches();
      for (int first = 0; first < all; first += atOnce) {
        int count = Math.min(atOnce, all - first);
        sampler.sample(seeds, first, batches.subList(0, count));
        batches.subList(0, count).forEach(b -> samples.add(copy(b, c.needs())));
      }
    }
    return samples;
  }

  private static Sample copy(SampledBatch batch, BlockNeeds needs) {
    List<Hop> hops = new ArrayList<>();
    List<Moves> moves = new ArrayList<>();
    for (int h = 0; h <= batch.hops(); h++) {
      List<Integer> rows = new ArrayList<>();
      for (int row = 0; row < batch.rows(h); row++) {
        rows.add(batch.ids().at(row));
      }
      List<List<String>> arcs = new ArrayList<>();
      List<Float> roots = new ArrayList<>();
      if (h < batch.hops()) {
        SampledHop hop = batch.hop(h);
        Csr in = hop.in();
        assertThat(in.rows()).isEqualTo(rows.size());
        for (int row = 0; row < rows.size(); row++) {
          List<String> into = new ArrayList<>();
          for (long arc = in.offset(row); arc < in.offset(row + 1); arc++) {
            into.add(vertex(batch, h, in.id(arc)) + " " + in.weight(arc));
          }
          arcs.add(into);
        }
        for (int row = 0; needs.symmetric() && row < in.cols(); row++) {
          roots.add(hop.block().symmetricSource().getAtIndex(JAVA_FLOAT, row));
        }
        moves.add(hop.isShuffled() ? moves(batch, h) : new Moves(List.of(), List.of()));
      }
      hops.add(new Hop(rows, arcs, roots));
    }
    return new Sample(hops, moves);
  }

  private static int vertex(SampledBatch batch, int hop, int source) {
    return batch.hop(hop).isShuffled()
        ? batch.hop(hop).shuffle().ids().at(source)
        : batch.ids().at(source);
  }

  private static Moves moves(SampledBatch batch, int h) {
    SampledShuffle shuffle = batch.hop(h).shuffle();
    assertThat(shuffle.own()).isEqualTo(batch.rows(h + 1));
    assertThat(batch.hop(h).in().cols()).isEqualTo(shuffle.sources());
    for (int row = 0; row < shuffle.own(); row++) {
      assertThat(shuffle.ids().at(row)).isEqualTo(batch.ids().at(row));
    }
    List<List<Integer>> sent = new ArrayList<>();
    List<List<Integer>> received = new ArrayList<>();
    int next = shuffle.own();
    for (int w = 0; w + 1 < shuffle.sentStarts().length; w++) {
      List<Integer> to = new ArrayList<>();
      for (int i = shuffle.sentStarts()[w]; i < shuffle.sentStarts()[w + 1]; i++) {
        int row = shuffle.toSend().getAtIndex(JAVA_INT, i);
        assertThat(row).isLessThan(shuffle.own());
        to.add(batch.ids().at(row));
      }
      sent.add(to);
      List<Integer> from = new ArrayList<>();
      for (int i = shuffle.receivedStarts()[w]; i < shuffle.receivedStarts()[w + 1]; i++) {
        int row = shuffle.toReceive().getAtIndex(JAVA_INT, i);
        assertThat(row).isEqualTo(next++);
        from.add(shuffle.ids().at(row));
      }
      received.add(from);
    }
    return new Moves(sent, received);
  }

  /** T-G3, T-G4, T-G5: every row and arc is at its owner, and nowhere else. */
  private static void assertTogether(Sample alone, List<Sample> together, Partition owners) {
    for (int h = 0; h < alone.hops().size(); h++) {
      Hop should = alone.hops().get(h);
      Map<Integer, List<String>> arcs = new HashMap<>();
      int rows = 0;
      for (int worker = 0; worker < together.size(); worker++) {
        Hop is = together.get(worker).hops().get(h);
        rows += is.rows().size();
        for (int row = 0; row < is.rows().size(); row++) {
          assertThat(owners.partOf(is.rows().get(row))).isEqualTo(worker);
          List<String> before =
              arcs.put(is.rows().get(row), is.arcs().isEmpty() ? List.of() : is.arcs().get(row));
          assertThat(before).isNull();
        }
      }
      assertThat(rows).isEqualTo(should.rows().size());
      for (int row = 0; row < rows; row++) {
        List<String> expected = should.arcs().isEmpty() ? List.of() : should.arcs().get(row);
        assertThat(arcs.get(should.rows().get(row))).isEqualTo(expected);
      }
    }
    for (int h = 0; h < alone.moves().size(); h++) {
      for (int from = 0; from < together.size(); from++) {
        for (int to = 0; to < together.size(); to++) {
          assertThat(together.get(from).moves().get(h).sent().get(to))
              .isEqualTo(together.get(to).moves().get(h).received().get(from));
        }
      }
      assertRoots(alone, together, h);
    }
  }

  private static void assertRoots(Sample alone, List<Sample> together, int h) {
    Map<Integer, Float> roots = new HashMap<>();
    for (int row = 0; row < alone.hops().get(h).roots().size(); row++) {
      roots.put(alone.hops().get(h + 1).rows().get(row), alone.hops().get(h).roots().get(row));
    }
    for (Sample one : together) {
      List<Integer> sources = new ArrayList<>(one.hops().get(h + 1).rows());
      one.moves().get(h).received().forEach(sources::addAll);
      for (int row = 0; row < one.hops().get(h).roots().size(); row++) {
        assertThat(one.hops().get(h).roots().get(row)).isEqualTo(roots.get(sources.get(row)));
      }
    }
  }

  /** T-G3: who samples for its own seeds alone has rows that others have too. */
  @Test
  void rowsOfSeedsByThemselvesOverlap() {
    Csr in = RandomArcs.of(memory, random, 400, true);
    int[] seeds = IntStream.range(0, 200).toArray();
    var needs = new BlockNeeds(false, null, false);
    var c = new SampleCase(in, SampleSettings.neighbours(8, 8), needs, seeds, 200);
    Partition owners = Partition.of(4, IntStream.range(0, 400).map(v -> v % 4).toArray());
    int together = 0;
    int apart = 0;
    try (Memory own = new Memory();
        ThreadTeam team = ThreadTeam.of(1)) {
      NeighbourSampler sampler = c.sampler(team, own);
      SampledBatch batch = sampler.newBatch(own);
      SeedOrder order = SeedOrder.of(seeds, 200, 5);
      sampler.sample(order.epoch(1), 0, List.of(batch));
      together = batch.rows(2);
      for (int w = 0; w < 4; w++) {
        int worker = w;
        sampler.sample(order.seeing(v -> owners.partOf(v) == worker).epoch(1), 0, List.of(batch));
        apart += batch.rows(2);
      }
    }
    System.out.println("rows apart / together: " + apart + " / " + together);
    assertThat(apart).isGreaterThan(together);
  }

  @Test
  void subgraphsAreNotSampledTogether() {
    OwnArcs arcs = OwnArcs.whole(RandomArcs.star(memory, 3));
    var needs = new BlockNeeds(false, null, false);
    try (ThreadTeam team = ThreadTeam.of(1)) {
      for (SamplerKind kind : Arrays.asList(SamplerKind.SHADOW, SamplerKind.CLUSTER)) {
        List<Integer> fanouts = kind == SamplerKind.SHADOW ? List.of(3) : List.of();
        var settings = new SampleSettings(kind, fanouts, false, false);
        assertThatThrownBy(() ->
                CooperativeSampler.of(arcs, settings, 0, needs, team, memory, ArcExchange.NONE))
            .hasMessageContaining("no owner can extend alone");
      }
    }
  }
}
