package dev.heddle.graph.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What LABOR has beyond uniform draws; how many it takes is in {@link SampleStatisticsTest}. */
class LaborDrawTest {
  private final Memory memory = new Memory();
  private final SplittableRandom random = RandomArcs.random(this);

  @AfterEach
  void close() {
    memory.close();
  }

  /** A source has one draw in a hop, whoever asks for it: so there are fewer rows. */
  @Test
  void commonSourcesAreTakenTogether() {
    int degree = 40;
    int[][] columns = new int[degree + 6][0];
    for (int v = 0; v < 3; v++) {
      columns[v] = IntStream.range(6, degree + 6).toArray();
      columns[v + 3] = IntStream.range(6, degree / 2 + 6).toArray();
    }
    Csr in = Csr.of(memory, columns.length, columns);
    var settings = new SampleSettings(SamplerKind.LABOR, List.of(8), false, false);
    SeedOrder order = SeedOrder.of(new int[] {0, 1, 2, 3, 4, 5}, 6, random.nextLong());
    BlockNeeds needs = new BlockNeeds(false, Normalisation.SUM, false);
    Set<Set<Integer>> different = new HashSet<>();
    try (ThreadTeam team = ThreadTeam.of(1)) {
      NeighbourSampler sampler =
          NeighbourSampler.of(OwnArcs.whole(in), settings, needs, team, memory, ArcExchange.NONE);
      SampledBatch batch = sampler.newBatch(memory);
      for (int epoch = 0; epoch < 20; epoch++) {
        sampler.sample(order.epoch(epoch), 0, List.of(batch));
        List<Set<Integer>> taken = new ArrayList<>(Collections.nCopies(6, Set.of()));
        for (int row = 0; row < 6; row++) {
          taken.set(batch.ids().at(row), sources(batch, row));
        }
        assertThat(taken.get(1)).isEqualTo(taken.get(0)).isEqualTo(taken.get(2));
        assertThat(taken.get(4)).isEqualTo(taken.get(3)).isEqualTo(taken.get(5));
        // Half the degree, twice the share: it took all that the larger took of common sources.
        Set<Integer> common = new HashSet<>(taken.get(0));
        common.removeIf(u -> u >= degree / 2 + 6);
        assertThat(taken.get(3)).containsAll(common);
        different.add(taken.get(0));
      }
    }
    assertThat(different).hasSizeGreaterThan(10);
  }

  private static Set<Integer> sources(SampledBatch batch, int row) {
    Csr arcs = batch.hop(0).in();
    Set<Integer> sources = new HashSet<>();
    for (long arc = arcs.offset(row); arc < arcs.offset(row + 1); arc++) {
      sources.add(batch.ids().at(arcs.id(arc)));
    }
    return sources;
  }
}
