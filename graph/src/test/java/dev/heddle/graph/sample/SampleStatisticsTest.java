package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What samplers draw of the in-arcs of one hub, over many batches. Every bound is crossed by a
 * right sampler once in a million runs: 4.75 standard deviations, or as much of a χ² distribution.
 */
class SampleStatisticsTest {
  private static final double DEVIATIONS = 4.75;

  private final Memory memory = new Memory();
  private final SplittableRandom random = RandomArcs.random(this);

  @AfterEach
  void close() {
    memory.close();
  }

  /**
   * What a χ² of so many degrees of freedom exceeds once in a million (Wilson & Hilferty, 1931).
   */
  private static double mostChiSquare(int degreesOfFreedom) {
    double v = 2.0 / (9 * degreesOfFreedom);
    return degreesOfFreedom * Math.pow(1 - v + DEVIATIONS * Math.sqrt(v), 3);
  }

  /** Is told of the hub's arcs in each of many batches. */
  private interface Reader {
    void arcs(Csr drawn);
  }

  private void draw(Csr star, SampleSettings settings, int batches, Reader reader) {
    var needs = new BlockNeeds(false, Normalisation.SUM, true);
    try (ThreadTeam team = ThreadTeam.of(1)) {
      NeighbourSampler sampler =
          NeighbourSampler.of(OwnArcs.whole(star), settings, needs, team, memory, ArcExchange.NONE);
      SampledBatch into = sampler.newBatch(memory);
      // A batch for every vertex; the epochs' first ones are those of the hub.
      SeedOrder order = SeedOrder.of(new int[] {0}, 1, random.nextLong());
      for (int epoch = 1; epoch <= batches; epoch++) {
        sampler.sample(order.epoch(epoch), 0, List.of(into));
        reader.arcs(into.hop(0).in());
      }
    }
  }

  /** T-B5: every neighbour is taken with probability fan-out / degree. */
  @ParameterizedTest
  @CsvSource({"10, 3", "64, 15", "65, 15", "300, 15", "300, 280", "7, 6"})
  void neighboursAreEquallyLikely(int degree, int fanout) {
    int batches = 4000;
    long[] counts = new long[degree];
    draw(
        RandomArcs.star(memory, degree),
        SampleSettings.neighbours(fanout),
        batches,
        drawn -> count(drawn, counts));
    double share = (double) fanout / degree;
    double expected = batches * share;
    double chiSquare = 0;
    for (long count : counts) {
      chiSquare += (count - expected) * (count - expected) / (expected * (1 - share));
    }
    // Counts that add up vary less than independent ones.
    assertThat(chiSquare * (degree - 1) / degree).isLessThan(mostChiSquare(degree - 1));
  }

  private static void count(Csr drawn, long[] counts) {
    for (long arc = 0; arc < drawn.arcs(); arc++) {
      counts[drawn.id(arc) - 1]++;
    }
  }

  @Test
  void withReplacementDrawsAreIndependentOfEachOther() {
    int degree = 6;
    long[] pairs = new long[degree * degree];
    int batches = 6000;
    draw(
        RandomArcs.star(memory, degree),
        SampleSettings.neighbours(2).withReplacement(),
        batches,
        drawn -> pairs[(drawn.id(0) - 1) * degree + drawn.id(1) - 1]++);
    assertUniform(pairs, batches);
  }

  /** T-B4: what one batch draws says nothing about the next. */
  @Test
  void batchesAreIndependent() {
    int degree = 6;
    long[] pairs = new long[degree * degree];
    int[] before = {-1};
    int batches = 6000;
    draw(
        RandomArcs.star(memory, degree),
        SampleSettings.neighbours(1),
        2 * batches,
        drawn -> {
          int now = drawn.id(0) - 1;
          if (before[0] < 0) {
            before[0] = now;
          } else {
            pairs[before[0] * degree + now]++;
            before[0] = -1;
          }
        });
    assertUniform(pairs, batches);
  }

  /** Batches of one epoch and hops of one batch differ in their keys only. */
  @Test
  void hopsAndBatchesOfAnEpochAreIndependent() {
    int degree = 5;
    // Vertex 0 draws in both hops, the only other that has arcs being itself.
    Csr star = RandomArcs.star(memory, degree);
    long[] hops = new long[degree * degree];
    long[] batches = new long[degree * degree];
    int epochs = 5000;
    var needs = new BlockNeeds(false, Normalisation.MEAN, true);
    try (ThreadTeam team = ThreadTeam.of(1)) {
      NeighbourSampler sampler =
          NeighbourSampler.of(
              OwnArcs.whole(star),
              SampleSettings.neighbours(1, 1),
              needs,
              team,
              memory,
              ArcExchange.NONE);
      SampledBatch first = sampler.newBatch(memory);
      SampledBatch second = sampler.newBatch(memory);
      SeedOrder order = SeedOrder.of(new int[] {0, 0}, 1, random.nextLong());
      for (int epoch = 1; epoch <= epochs; epoch++) {
        sampler.sample(order.epoch(epoch), 0, List.of(first, second));
        int a = first.ids().at(1) - 1;
        hops[a * degree + first.hop(1).in().id(0) - 1]++;
        batches[a * degree + second.ids().at(1) - 1]++;
      }
    }
    assertUniform(hops, epochs);
    assertUniform(batches, epochs);
  }

  private static void assertUniform(long[] counts, long total) {
    double expected = (double) total / counts.length;
    double chiSquare = 0;
    for (long count : counts) {
      chiSquare += (count - expected) * (count - expected) / expected;
    }
    assertThat(chiSquare).isLessThan(mostChiSquare(counts.length - 1));
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void oneArcIsDrawnInProportionToItsWeight(boolean replace) {
    int degree = 9;
    Csr star = weighted(RandomArcs.star(memory, degree));
    long[] counts = new long[degree];
    SampleSettings one = SampleSettings.neighbours(1).weighted();
    int batches = 8000;
    draw(star, replace ? one.withReplacement() : one, batches, drawn -> count(drawn, counts));
    double total = 0;
    for (int i = 0; i < degree; i++) {
      total += star.weight(i);
    }
    double chiSquare = 0;
    for (int i = 0; i < degree; i++) {
      double expected = batches * star.weight(i) / total;
      chiSquare += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    assertThat(chiSquare).isLessThan(mostChiSquare(degree - 1));
  }

  private Csr weighted(Csr star) {
    MemorySegment weights = memory.allocateFloats(star.arcs());
    for (long arc = 0; arc < star.arcs(); arc++) {
      weights.setAtIndex(JAVA_FLOAT, arc, (float) random.nextDouble(0.3, 3));
    }
    return star.withWeights(weights);
  }

  /** What arcs stand for: a sum over the sample has the sum over all as its expectation. */
  @ParameterizedTest
  @CsvSource({
    "neighbour, false, false",
    "neighbour, true, false",
    "neighbour, false, true",
    "neighbour, true, true",
    "labor, false, false",
  })
  void sumsAreUnbiased(String kind, boolean replace, boolean byWeight) {
    int degree = 20;
    Csr star = weighted(RandomArcs.star(memory, degree));
    double[] values = random.doubles(degree, -1, 2).toArray();
    double whole = 0;
    for (int i = 0; i < degree; i++) {
      whole += star.weight(i) * values[i];
    }
    SampleSettings settings = SampleSettings.neighbours(4);
    settings =
        new SampleSettings(
            kind.equals("labor") ? SamplerKind.LABOR : SamplerKind.NEIGHBOUR,
            settings.fanouts(),
            replace,
            byWeight);
    double[] sums = new double[2];
    int batches = 6000;
    draw(
        star,
        settings,
        batches,
        drawn -> {
          double sum = 0;
          for (long arc = 0; arc < drawn.arcs(); arc++) {
            sum += drawn.weight(arc) * values[drawn.id(arc) - 1];
          }
          sums[0] += sum;
          sums[1] += sum * sum;
        });
    double mean = sums[0] / batches;
    double deviation = Math.sqrt((sums[1] / batches - mean * mean) / batches);
    assertThat(mean).isCloseTo(whole, within(DEVIATIONS * deviation));
  }

  @Test
  void laborTakesAsManyArcsInExpectation() {
    int degree = 40;
    int fanout = 10;
    long[] counts = new long[degree];
    int batches = 4000;
    draw(
        RandomArcs.star(memory, degree),
        new SampleSettings(
            SamplerKind.LABOR, SampleSettings.neighbours(fanout).fanouts(), false, false),
        batches,
        drawn -> count(drawn, counts));
    double share = (double) fanout / degree;
    double chiSquare = 0;
    for (long count : counts) {
      double off = count - batches * share;
      chiSquare += off * off / (batches * share * (1 - share));
    }
    assertThat(chiSquare).isLessThan(mostChiSquare(degree));
  }
}
