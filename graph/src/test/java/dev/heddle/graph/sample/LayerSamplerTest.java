package dev.heddle.graph.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.Normalisation;
import dev.heddle.graph.sample.SampleSettings.Layer;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** LADIES and FastGCN: what they draw, and that sums over it are unbiased where they claim it. */
class LayerSamplerTest {
  private static final double ERRORS = 4;

  private final Memory memory = new Memory();
  private final ThreadTeam team = ThreadTeam.of(1);
  private final SplittableRandom random = new SplittableRandom(Long.getLong("heddle.seed", 11));

  @AfterEach
  void close() {
    team.close();
    memory.close();
  }

  private int off(Csr in, SampleSettings settings, BlockNeeds needs, int draws) {
    double[] x = random.doubles(in.rows(), 0.5, 2).toArray();
    double[] exact = x;
    for (int h = 0; h < settings.hops(); h++) {
      exact = SampledSums.exact(in, needs, exact);
    }
    RowMeans means = new RowMeans(in.rows());
    try (Memory own = memory.child()) {
      LayerSampler sampler = LayerSampler.of(OwnArcs.whole(in), settings, needs, team, own);
      SampledBatch batch = sampler.newBatch(own);
      int[] seeds = IntStream.range(0, in.rows()).toArray();
      SeedOrder order = SeedOrder.of(seeds, in.rows(), random.nextLong());
      for (int epoch = 1; epoch <= draws; epoch++) {
        sampler.sample(order.epoch(epoch), 0, List.of(batch));
        double[] estimate = SampledSums.of(batch, needs, x);
        means.begin();
        for (int row = 0; row < batch.seeds(); row++) {
          means.add(batch.ids().at(row), estimate[row]);
        }
      }
    }
    return means.off(exact, ERRORS);
  }

  /** Hops of one layer and of two, whose input is summed beforehand or has rows. */
  @ParameterizedTest
  @CsvSource({
    "LADIES, false, false, SYMMETRIC, true, false",
    "LADIES, true, false, MEAN, false, true",
    "LADIES, false, true, MEAN, true, true",
    "LADIES, true, true, SUM, true, false",
    "LADIES, true, true, SYMMETRIC, false, true",
    "FASTGCN, false, false, MEAN, true, false",
    "FASTGCN, true, false, SYMMETRIC, false, true",
    "FASTGCN, false, true, SUM, true, true",
    "FASTGCN, true, true, MEAN, false, false",
    "FASTGCN, true, true, SYMMETRIC, true, true",
  })
  void sumsAreUnbiased(
      SamplerKind kind,
      boolean flat,
      boolean debias,
      Normalisation aggregation,
      boolean summed,
      boolean weighted) {
    Csr in = RandomArcs.skewed(memory, random, 24);
    in = weighted ? RandomArcs.weighted(memory, random, in) : in;
    var needs = new BlockNeeds(aggregation == Normalisation.SYMMETRIC, aggregation, summed);
    var layer = new Layer(flat, debias);
    assertThat(off(in, SampleSettings.layers(kind, layer, 7), needs, 20_000)).isZero();
    assertThat(off(in, SampleSettings.layers(kind, layer, 7, 9), needs, 20_000)).isZero();
  }
}
