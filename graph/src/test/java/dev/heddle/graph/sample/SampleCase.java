package dev.heddle.graph.sample;

import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Random arcs, random settings of a sampler, and random seeds. */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record SampleCase(Csr in, SampleSettings settings, BlockNeeds needs, int[] seeds, int batchSize) {
  /** A sampler of this case for one worker. */
  NeighbourSampler sampler(ThreadTeam team, Memory memory) {
    return NeighbourSampler.of(OwnArcs.whole(in), settings, needs, team, memory, ArcExchange.NONE);
  }

  static SampleCase random(SplittableRandom random, Memory memory) {
    int vertices = 1 + random.nextInt(random.nextInt(4) == 0 ? 900 : 60);
    Csr in = RandomArcs.of(memory, random, vertices, random.nextBoolean());
    boolean weighted = random.nextBoolean();
    in = weighted ? RandomArcs.weighted(memory, random, in) : in;
    Integer[] fanouts = new Integer[random.nextInt(4)];
    Arrays.setAll(fanouts, _ -> random.nextInt(4) == 0 ? -1 : 1 + random.nextInt(12));
    SampleSettings settings = SampleSettings.neighbours(fanouts);
    switch (random.nextInt(4)) {
      case 0 -> settings = settings.withReplacement();
      case 1 -> settings = weighted ? settings.weighted() : settings;
      case 2 -> {
        int kappa = 1 + random.nextInt(4);
        settings = new SampleSettings(SamplerKind.LABOR, settings.fanouts(), false, false, kappa);
      }
      default -> {}
    }
    List<Normalisation> all = List.of(Normalisation.values());
    int kind = random.nextInt(all.size() + 1);
    Normalisation aggregation = kind < all.size() ? all.get(kind) : null;
    boolean given = aggregation != null && random.nextInt(3) == 0;
    int[] seeds = RandomArcs.seeds(random, vertices, 1 + random.nextInt(80));
    int batchSize = 1 + random.nextInt(seeds.length + 3);
    return new SampleCase(
        in, settings, new BlockNeeds(random.nextBoolean(), aggregation, given), seeds, batchSize);
  }
}
