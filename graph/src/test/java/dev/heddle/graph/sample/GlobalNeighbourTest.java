package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** T-M8: samples from a cache are unbiased, and those of other weightings are found out. */
class GlobalNeighbourTest {
  private static final double ERRORS = 4;
  private static final int VERTICES = 24;

  private final Memory memory = new Memory();
  private final ThreadTeam team = ThreadTeam.of(1);
  private final SplittableRandom random = new SplittableRandom(Long.getLong("heddle.seed", 7));
  private final Csr in = RandomArcs.skewed(memory, random, VERTICES);
  private final double[] x = random.doubles(VERTICES, 0.5, 2).toArray();

  @AfterEach
  void close() {
    team.close();
    memory.close();
  }

  /** What each vertex is worth by the arcs that come from it. */
  private MemorySegment degrees() {
    MemorySegment worth = memory.allocateFloats(VERTICES);
    for (long arc = 0; arc < in.arcs(); arc++) {
      float before = worth.getAtIndex(JAVA_FLOAT, in.id(arc));
      worth.setAtIndex(JAVA_FLOAT, in.id(arc), before + 1);
    }
    return worth;
  }

  /** Is told of each of many samples of all vertices, from another cache each. */
  private interface Reader {
    void batch(SampledBatch batch, CachedVertices cache);
  }

  private void sample(SampleSettings settings, BlockNeeds needs, int draws, Reader reader) {
    var cache = new CachedVertices(degrees(), VERTICES, 8, random.nextLong());
    MemorySegment set = cache.newSet(memory);
    GrowingBuffer list = new GrowingBuffer(memory);
    NeighbourSampler sampler =
        NeighbourSampler.preferring(
            cache, OwnArcs.whole(in), settings, needs, team, memory, ArcExchange.NONE);
    SampledBatch batch = sampler.newBatch(memory);
    int[] seeds = IntStream.range(0, VERTICES).toArray();
    SeedOrder order = SeedOrder.of(seeds, VERTICES, random.nextLong());
    for (int epoch = 1; epoch <= draws; epoch++) {
      int _ = cache.draw(epoch, set, list);
      cache.use(set);
      sampler.sample(order.epoch(epoch), 0, List.of(batch));
      reader.batch(batch, cache);
    }
  }

  private int off(SampleSettings settings, BlockNeeds needs, int draws) {
    double[] exact = x;
    for (int h = 0; h < settings.hops(); h++) {
      exact = SampledSums.exact(in, needs, exact);
    }
    RowMeans means = new RowMeans(VERTICES);
    sample(
        settings,
        needs,
        draws,
        (batch, _) -> {
          double[] estimate = SampledSums.of(batch, needs, x);
          means.begin();
          for (int row = 0; row < batch.seeds(); row++) {
            means.add(batch.ids().at(row), estimate[row]);
          }
        });
    return means.off(exact, ERRORS);
  }

  @ParameterizedTest
  @CsvSource({"SUM, true", "MEAN, true", "MEAN, false", "SYMMETRIC, true", "SYMMETRIC, false"})
  void everyVertexIsUnbiased(Normalisation aggregation, boolean summed) {
    var needs = new BlockNeeds(aggregation == Normalisation.SYMMETRIC, aggregation, summed);
    assertThat(off(SampleSettings.neighbours(2), needs, 100_000)).isZero();
    assertThat(off(SampleSettings.neighbours(3, 2), needs, 20_000)).isZero();
    assertThat(off(SampleSettings.neighbours(1, -1), needs, 20_000)).isZero();
  }

  /** Ways to weigh that published programs have. */
  enum Weighting {
    /** As it is here. */
    EXACT,
    /** What is drawn of the cached neighbours stands for too few of them. */
    MIN,
    /** What is drawn stands for itself alone. */
    OMITTED;

    /** Of one arc, all of whose vertex's cached neighbours it was drawn of. */
    double times(int cached, int fanout) {
      int drawn = Math.min(cached, fanout);
      return switch (this) {
        case EXACT -> (double) cached / drawn;
        case MIN -> (double) drawn / fanout;
        case OMITTED -> 1;
      };
    }
  }

  @ParameterizedTest
  @EnumSource(Weighting.class)
  void otherWeightingsFail(Weighting weighting) {
    var needs = new BlockNeeds(false, Normalisation.SUM, true);
    double[] exact = SampledSums.exact(in, needs, x);
    RowMeans means = new RowMeans(VERTICES);
    int fanout = 2;
    sample(
        SampleSettings.neighbours(fanout),
        needs,
        100_000,
        (batch, cache) -> {
          means.begin();
          Csr arcs = batch.hop(0).in();
          for (int row = 0; row < batch.seeds(); row++) {
            int v = batch.ids().at(row);
            int cached = 0;
            for (long arc = in.offset(v); arc < in.offset(v + 1); arc++) {
              cached += cache.has(in.id(arc)) ? 1 : 0;
            }
            double sum = 0;
            for (long arc = arcs.offset(row); arc < arcs.offset(row + 1); arc++) {
              int u = arcs.id(arc);
              sum += weighting.times(cached, fanout) * cache.times(u) * x[u];
            }
            means.add(v, sum);
          }
        });
    if (weighting == Weighting.EXACT) {
      assertThat(means.off(exact, ERRORS)).isZero();
    } else {
      assertThat(means.off(exact, ERRORS)).isGreaterThan(VERTICES / 3);
    }
  }

  /** A cache of fixed size, drawn without replacement, weighted as if it were with. */
  @Test
  void cachesDrawnWithoutReplacementFail() {
    var needs = new BlockNeeds(false, Normalisation.SUM, true);
    double[] exact = SampledSums.exact(in, needs, x);
    MemorySegment worth = degrees();
    double total = in.arcs();
    int size = 8;
    for (boolean replace : new boolean[] {true, false}) {
      RowMeans means = new RowMeans(VERTICES);
      boolean[] cached = new boolean[VERTICES];
      for (int i = 0; i < 100_000; i++) {
        Arrays.fill(cached, false);
        for (int drawn = 0; drawn < size; ) {
          // A source of arcs in proportion to their number.
          int u = in.id(random.nextLong(in.arcs()));
          drawn += replace || !cached[u] ? 1 : 0;
          cached[u] = true;
        }
        means.begin();
        for (int v = 0; v < VERTICES; v++) {
          double sum = 0;
          for (long arc = in.offset(v); arc < in.offset(v + 1); arc++) {
            int u = in.id(arc);
            double p = worth.getAtIndex(JAVA_FLOAT, u) / total;
            sum += cached[u] ? x[u] / (1 - Math.pow(1 - p, size)) : 0;
          }
          means.add(v, sum);
        }
      }
      if (replace) {
        assertThat(means.off(exact, ERRORS)).isZero();
      } else {
        assertThat(means.off(exact, ERRORS)).isGreaterThan(VERTICES / 3);
      }
    }
  }

  @Test
  void cachesHaveTheSizeWishedForAndChange() {
    for (double size : new double[] {0.5, 8, 20, 24}) {
      var cache = new CachedVertices(degrees(), VERTICES, size, 3);
      double expected = 0;
      for (int v = 0; v < VERTICES; v++) {
        assertThat(cache.odds(v)).isPositive().isLessThanOrEqualTo(1);
        expected += cache.odds(v);
      }
      assertThat(expected).isCloseTo(size, within(1e-4 * size));
    }
    var cache = new CachedVertices(degrees(), VERTICES, 8, 3);
    MemorySegment set = cache.newSet(memory);
    GrowingBuffer list = new GrowingBuffer(memory);
    Set<Set<Integer>> seen = new HashSet<>();
    for (int epoch = 1; epoch <= 20; epoch++) {
      int count = cache.draw(epoch, set, list);
      cache.use(set);
      Set<Integer> members = new HashSet<>();
      for (int i = 0; i < count; i++) {
        members.add(list.segment().getAtIndex(JAVA_INT, i));
      }
      for (int v = 0; v < VERTICES; v++) {
        assertThat(cache.has(v)).isEqualTo(members.contains(v));
      }
      seen.add(members);
      assertThat(cache.draw(epoch, set, list)).isEqualTo(count);
    }
    assertThat(seen).hasSizeGreaterThan(15);
  }

  /** Hops that are not the input take cached neighbours more often than others. */
  @Test
  void otherLayersPreferCachedNeighbours() {
    var needs = new BlockNeeds(false, Normalisation.MEAN, false);
    long[] counts = new long[4];
    sample(
        SampleSettings.neighbours(3, 2),
        needs,
        2000,
        (batch, cache) -> {
          Csr arcs = batch.hop(0).in();
          for (int row = 0; row < batch.seeds(); row++) {
            int v = batch.ids().at(row);
            if (in.degree(v) > 3) {
              for (long arc = in.offset(v); arc < in.offset(v + 1); arc++) {
                counts[cache.has(in.id(arc)) ? 1 : 0]++;
              }
              assertThat(arcs.degree(row)).isEqualTo(3);
              for (long arc = arcs.offset(row); arc < arcs.offset(row + 1); arc++) {
                counts[cache.has(batch.ids().at(arcs.id(arc))) ? 3 : 2]++;
              }
            }
          }
        });
    double others = (double) counts[2] / counts[0];
    double cached = (double) counts[3] / counts[1];
    assertThat(cached).isGreaterThan(1.2 * others);
  }
}
