package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccessOddsTest {
  private static final int VERTICES = 60;

  private final Memory memory = new Memory();
  private final SplittableRandom random = RandomArcs.random(this);

  @AfterEach
  void close() {
    memory.close();
  }

  private List<AccessOdds> odds(Csr in, SampleSettings settings, int workers, float probability) {
    int[] part = IntStream.range(0, VERTICES).map(_ -> random.nextInt(workers)).toArray();
    Partition owners = Partition.of(workers, part);
    List<AccessOdds> all =
        IntStream.range(0, workers)
            .mapToObj(w -> new AccessOdds(OwnArcs.of(in, owners, w, memory), settings, memory))
            .toList();
    for (AccessOdds one : all) {
      one.begin(IntStream.range(0, VERTICES).toArray(), probability);
    }
    for (int hop = 0; hop < settings.hops(); hop++) {
      int now = hop;
      sum(all.stream().map(one -> one.startHop(now)).toList());
      all.forEach(AccessOdds::finishHop);
    }
    return all;
  }

  /** What a group would do. */
  private static void sum(List<MemorySegment> logs) {
    for (int v = 0; v < VERTICES; v++) {
      float sum = 0;
      for (MemorySegment one : logs) {
        sum += one.getAtIndex(JAVA_FLOAT, v);
      }
      for (MemorySegment one : logs) {
        one.setAtIndex(JAVA_FLOAT, v, sum);
      }
    }
  }

  /** Against how often batches have a row for a vertex, after a hop and after two. */
  @ParameterizedTest
  @CsvSource({
    "1, false, false", "1, true, false", "1, false, true", "1, true, true",
    "2, false, false", "2, true, false", "2, false, true", "2, true, true"
  })
  void areWhatBatchesReach(int hops, boolean replace, boolean byWeight) {
    int[][] sources = new int[VERTICES][];
    for (int v = 0; v < VERTICES; v++) {
      sources[v] = random.ints(random.nextInt(12), 0, VERTICES).sorted().distinct().toArray();
    }
    Csr alike = Csr.of(memory, VERTICES, sources);
    MemorySegment weights = memory.allocateFloats(alike.arcs());
    for (long arc = 0; arc < alike.arcs(); arc++) {
      // A few weigh nearly all, and some nothing.
      float weight = arc % 7 == 0 ? 0 : (float) Math.exp(2 * random.nextGaussian());
      weights.setAtIndex(JAVA_FLOAT, arc, weight);
    }
    Csr in = byWeight ? alike.withWeights(weights) : alike;
    var settings =
        new SampleSettings(
            SamplerKind.NEIGHBOUR, List.of(3, 2).subList(0, hops), replace, byWeight);
    int batchSize = 1;
    int epochs = 600;
    int[] reached = new int[VERTICES];
    int batches = 0;
    try (ThreadTeam team = ThreadTeam.of(1)) {
      NeighbourSampler sampler =
          NeighbourSampler.of(
              OwnArcs.whole(in),
              settings,
              new BlockNeeds(false, null, false),
              team,
              memory,
              ArcExchange.NONE);
      SampledBatch batch = sampler.newBatch(memory);
      SeedOrder seeds =
          SeedOrder.of(IntStream.range(0, VERTICES).toArray(), batchSize, random.nextLong());
      for (int epoch = 1; epoch <= epochs; epoch++) {
        seeds.epoch(epoch);
        for (int b = 0; b < seeds.batches(); b++, batches++) {
          sampler.sample(seeds, b, List.of(batch));
          for (int row = 0; row < batch.rows(hops); row++) {
            reached[batch.ids().at(row)]++;
          }
        }
      }
    }
    AccessOdds odds = odds(in, settings, 1, (float) batchSize / VERTICES).getFirst();
    double apart = 0;
    for (int v = 0; v < VERTICES; v++) {
      double frequency = (double) reached[v] / batches;
      assertThat((double) odds.of(v)).isCloseTo(frequency, within(0.1));
      apart += Math.abs(odds.of(v) - frequency) / VERTICES;
    }
    // One seed's hop is exact but for chance; further ones may meet, which is not in the formula.
    assertThat(apart).isLessThan(hops == 1 ? 0.003 : 0.028);
  }

  @Test
  void partsTogetherSayWhatTheWholeDoes() {
    Csr in = RandomArcs.of(memory, random, VERTICES, true);
    SampleSettings settings = SampleSettings.neighbours(4, -1, 2);
    AccessOdds whole = odds(in, settings, 1, 0.1f).getFirst();
    for (AccessOdds one : odds(in, settings, 4, 0.1f)) {
      for (int v = 0; v < VERTICES; v++) {
        assertThat(one.of(v)).isBetween(0f, 1f).isCloseTo(whole.of(v), within(1e-4f));
      }
    }
  }
}
