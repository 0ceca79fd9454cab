package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workers that each have a part of the arcs sample what one does that has them all. */
class SharedSamplingTest {
  private final Memory memory = new Memory();
  private final SplittableRandom random = RandomArcs.random(this);

  @AfterEach
  void close() {
    memory.close();
  }

  /**
   * How a case is shared among workers.
   *
   * @param batches that are sampled at once
   */
  private record Shared(
      SampleCase c, Partition owners, OwnArcs.Extent extent, int batches, int threads) {

    OwnArcs arcs(int worker, Memory memory) {
      return switch (extent) {
        case OWN -> OwnArcs.of(c.in(), owners, worker, memory);
        case IN_PLACE -> OwnArcs.inPlace(withoutOthers(worker, memory), owners, worker);
        case EVERYTHING -> OwnArcs.everything(c.in(), owners, worker);
      };
    }

    /** All arcs, but those of others' vertices are such that whoever draws them is found out. */
    private Csr withoutOthers(int worker, Memory memory) {
      Csr in = c.in();
      MemorySegment ids = memory.allocateInts(in.arcs());
      MemorySegment weights = in.weights() == null ? null : memory.allocateFloats(in.arcs());
      for (int v = 0; v < in.rows(); v++) {
        boolean own = owners.partOf(v) == worker;
        for (long arc = in.offset(v); arc < in.offset(v + 1); arc++) {
          ids.setAtIndex(JAVA_INT, arc, own ? in.id(arc) : -1);
          if (weights != null) {
            weights.setAtIndex(JAVA_FLOAT, arc, own ? in.weight(arc) : Float.NaN);
          }
        }
      }
      return Csr.of(in.rows(), in.cols(), in.offsets(), ids).withWeights(weights);
    }

    SeedOrder seeds(int worker) {
      return SeedOrder.of(c.seeds(), c.batchSize(), 5).seeing(v -> owners.partOf(v) == worker);
    }
  }

  private Shared shared(SampleCase c, OwnArcs.Extent extent) {
    int workers = 1 + random.nextInt(5);
    int[] part = IntStream.range(0, c.in().rows()).map(_ -> random.nextInt(workers)).toArray();
    int batches = 1 + random.nextInt(NeighbourSampler.MOST_BATCHES);
    return new Shared(c, Partition.of(workers, part), extent, batches, 1 + random.nextInt(2));
  }

  @Test
  void partsSampleWhatTheWholeDoes() {
    for (OwnArcs.Extent extent : OwnArcs.Extent.values()) {
      for (int i = 0; i < 15; i++) {
        Shared shared = shared(SampleCase.random(random, memory), extent);
        try (Memory own = memory.child()) {
          ThreadExchange exchange = new ThreadExchange(shared.owners.parts(), own);
          exchange.run(worker -> sample(shared, worker, exchange.of(worker)));
        }
      }
    }
  }

  private static void sample(Shared shared, int worker, ArcExchange exchange) {
    SampleCase c = shared.c;
    try (Memory own = new Memory();
        ThreadTeam team = ThreadTeam.of(shared.threads)) {
      NeighbourSampler sampler =
          NeighbourSampler.of(
              shared.arcs(worker, own), c.settings(), c.needs(), team, own, exchange);
      List<SampledBatch> batches =
          IntStream.range(0, shared.batches).mapToObj(_ -> sampler.newBatch(own)).toList();
      SeedOrder seeds = shared.seeds(worker);
      for (int epoch = 1; epoch <= 2; epoch++) {
        int all = seeds.epoch(epoch).batches();
        for (int first = 0; first < all; first += shared.batches) {
          int count = Math.min(shared.batches, all - first);
          sampler.sample(seeds, first, batches.subList(0, count));
          assertSampledAlone(c, seeds, first, batches.subList(0, count));
        }
      }
    }
  }

  private static void assertSampledAlone(
      SampleCase c, SeedOrder seeds, int first, List<SampledBatch> batches) {
    try (Memory own = new Memory();
        ThreadTeam team = ThreadTeam.of(1)) {
      NeighbourSampler alone = c.sampler(team, own);
      SampledBatch expected = alone.newBatch(own);
      for (int k = 0; k < batches.size(); k++) {
        alone.sample(seeds, first + k, List.of(expected));
        assertSame(batches.get(k), expected, c.needs());
      }
    }
  }

  private static void assertSame(SampledBatch is, SampledBatch should, BlockNeeds needs) {
    assertThat(is.seeds()).isEqualTo(should.seeds());
    assertThat(is.number()).isEqualTo(should.number());
    for (int depth = 0; depth <= should.hops(); depth++) {
      assertThat(is.rows(depth)).isEqualTo(should.rows(depth));
    }
    for (int row = 0; row < should.rows(should.hops()); row++) {
      assertThat(is.ids().at(row)).isEqualTo(should.ids().at(row));
    }
    for (int h = 0; h < should.hops(); h++) {
      assertSame(is.hop(h).in(), should.hop(h).in());
      if (h < should.hops() - 1 || !needs.sumsLastHop()) {
        assertSame(is.hop(h).block().out(), should.hop(h).block().out());
        if (needs.symmetric()) {
          MemorySegment roots = should.hop(h).block().symmetricSource();
          for (int row = 0; row < should.rows(h + 1); row++) {
            assertThat(is.hop(h).block().symmetricSource().getAtIndex(JAVA_FLOAT, row))
                .isEqualTo(roots.getAtIndex(JAVA_FLOAT, row));
          }
        }
      }
    }
  }

  private static void assertSame(Csr is, Csr should) {
    assertThat(is.rows()).isEqualTo(should.rows());
    assertThat(is.cols()).isEqualTo(should.cols());
    for (int row = 0; row < should.rows(); row++) {
      assertThat(is.offset(row + 1)).isEqualTo(should.offset(row + 1));
    }
    for (long arc = 0; arc < should.arcs(); arc++) {
      assertThat(is.id(arc)).isEqualTo(should.id(arc));
      assertThat(is.weight(arc)).isEqualTo(should.weight(arc));
    }
  }

  @Test
  void arcsOfOthersAreNotToBeHadWithoutAnExchange() {
    Csr in = RandomArcs.star(memory, 3);
    OwnArcs arcs = OwnArcs.of(in, Partition.of(2, new int[] {0, 1, 1, 1}), 0, memory);
    var needs = new BlockNeeds(false, null, false);
    try (ThreadTeam team = ThreadTeam.of(1)) {
      NeighbourSampler sampler =
          NeighbourSampler.of(
              arcs, SampleSettings.neighbours(2), needs, team, memory, ArcExchange.NONE);
      List<SampledBatch> batches = List.of(sampler.newBatch(memory));
      SeedOrder seeds = SeedOrder.of(new int[] {0}, 1, 5).epoch(1);
      assertThatThrownBy(() -> sampler.sample(seeds, 0, batches))
          .hasMessageContaining("draws all of them itself");
    }
  }

  @Test
  void inducedSubgraphsNeedAllArcsAtOneWorker() {
    var settings = new SampleSettings(SamplerKind.SHADOW, List.of(3), false, false);
    OwnArcs arcs = OwnArcs.whole(RandomArcs.star(memory, 3));
    var needs = new BlockNeeds(false, null, false);
    try (ThreadTeam team = ThreadTeam.of(1)) {
      assertThatThrownBy(
              () -> NeighbourSampler.of(arcs, settings, needs, team, memory, ArcExchange.NONE))
          .hasMessageContaining("the shadow sampler needs all arcs at one worker");
    }
  }
}
