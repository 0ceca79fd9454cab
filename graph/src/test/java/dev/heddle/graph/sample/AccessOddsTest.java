package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.Workers;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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

  /** Against how often batches have a row for a vertex. */
  @Test
  void areWhatBatchesReachInAHop() {
    int[][] sources = new int[VERTICES][];
    for (int v = 0; v < VERTICES; v++) {
      sources[v] = random.ints(random.nextInt(12), 0, VERTICES).sorted().distinct().toArray();
    }
    Csr in = Csr.of(memory, VERTICES, sources);
    SampleSettings settings = SampleSettings.neighbours(3);
    int batchSize = 4;
    int epochs = 400;
    int[] reached = new int[VERTICES];
    int batches = 0;
    try (Workers workers = Workers.of(1);
        NeighbourSampler sampler =
            NeighbourSampler.of(
                in,
                settings,
                new BlockNeeds(false, null, false),
                new NeighbourSampler.Place(workers, memory));
        SampledBatch batch = sampler.newBatch(memory)) {
      SeedOrder seeds =
          SeedOrder.of(IntStream.range(0, VERTICES).toArray(), batchSize, random.nextLong());
      for (int epoch = 1; epoch <= epochs; epoch++) {
        seeds.epoch(epoch);
        for (int b = 0; b < seeds.batches(); b++, batches++) {
          sampler.sample(seeds, b, batch);
          for (int row = 0; row < batch.rows(1); row++) {
            reached[batch.ids().at(row)]++;
          }
        }
      }
    }
    AccessOdds odds = odds(in, settings, 1, (float) batchSize / VERTICES).getFirst();
    for (int v = 0; v < VERTICES; v++) {
      // Seeds of a batch are not quite independent of each other.
      assertThat(odds.of(v)).isCloseTo((float) reached[v] / batches, within(0.05f));
    }
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
