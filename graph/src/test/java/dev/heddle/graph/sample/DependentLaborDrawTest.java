package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches that depend on each other: each as if it stood alone, and together on fewer sources. */
class DependentLaborDrawTest {
  private static final int DEGREE = 40;
  private static final int FANOUT = 8;

  private final Memory memory = new Memory();
  private final SplittableRandom random = RandomArcs.random(this);

  @AfterEach
  void close() {
    memory.close();
  }

  private static SampleSettings labor(int kappa) {
    return new SampleSettings(SamplerKind.LABOR, List.of(FANOUT), false, false, kappa);
  }

  private DependentLaborDraw draw(int kappa) {
    return DependentLaborDraw.of(RandomArcs.star(memory, DEGREE), FANOUT, kappa);
  }

  /** Which sources a star takes in batches {@code 0 … count − 1}. */
  private BitSet[] taken(DependentLaborDraw draw, int count, long seed) {
    SampleSettings settings = labor(draw.kappa());
    BitSet[] taken = new BitSet[count];
    MemorySegment ids = memory.allocateInts(DEGREE);
    // The hub is the only seed of a batch: an epoch is a batch.
    SeedOrder seeds = SeedOrder.of(new int[] {0}, 1, seed);
    for (int b = 0; b < count; b++) {
      long key = HopKey.of(settings, seeds, b + 1, 0, 0);
      int arcs = draw.count(0, key);
      draw.draw(0, key, new DrawnArcs(ids, null), 0);
      taken[b] = new BitSet();
      for (int arc = 0; arc < arcs; arc++) {
        taken[b].set(ids.getAtIndex(JAVA_INT, arc));
      }
    }
    return taken;
  }

  /** In whatever batch of a stretch, a source is taken with the probability of LABOR. */
  @ParameterizedTest
  @ValueSource(ints = {2, 5, 16})
  void marginalsAreThoseOfLabor(int kappa) {
    int runs = 1500;
    DependentLaborDraw draw = draw(kappa);
    int[][] times = new int[kappa + 1][DEGREE + 1];
    for (int run = 0; run < runs; run++) {
      BitSet[] taken = taken(draw, kappa + 1, random.nextLong());
      for (int b = 0; b <= kappa; b++) {
        for (int u = 0; u <= DEGREE; u++) {
          times[b][u] += taken[b].get(u) ? 1 : 0;
        }
      }
    }
    double p = (double) FANOUT / DEGREE;
    for (int b = 0; b <= kappa; b++) {
      double chi = 0;
      for (int u = 1; u <= DEGREE; u++) {
        double apart = times[b][u] - runs * p;
        chi += apart * apart / (runs * p * (1 - p));
      }
      // Of 40 degrees of freedom, beyond 95 in three cases of a million.
      assertThat(chi).as("batch %d", b).isLessThan(95);
    }
  }

  /** The more batches a change takes, the fewer sources batches that follow each other take. */
  @Test
  void sourcesOfBatchesThatFollowEachOtherAreFewer() {
    long seed = random.nextLong();
    int batches = 16;
    int[] union =
        IntStream.of(1, 4, 16, 64)
            .map(kappa -> {
              int sum = 0;
              DependentLaborDraw draw = draw(kappa);
              for (int i = 0; i < 20; i++) {
                BitSet all = new BitSet();
                for (BitSet one : taken(draw, batches, seed + i)) {
                  all.or(one);
                }
                sum += all.cardinality();
              }
              return sum;
            })
            .toArray();
    System.out.println("union of sources: " + IntStream.of(union).boxed().toList());
    assertThat(union[0]).isGreaterThan(union[1]);
    assertThat(union[1]).isGreaterThan(union[2]);
    assertThat(union[2]).isGreaterThan(union[3]);
  }

  /** Consecutive batches differ, and after a stretch everything does. */
  @Test
  void drawsMove() {
    BitSet[] taken = taken(draw(8), 17, random.nextLong());
    int near = 0;
    int far = 0;
    for (int b = 0; b < 16; b++) {
      near += apart(taken[b], taken[b + 1]);
      far += apart(taken[b], taken[(b + 8) % 17]);
    }
    assertThat(near).isPositive();
    assertThat(far).isGreaterThan(2 * near);
  }

  private static int apart(BitSet a, BitSet b) {
    BitSet different = (BitSet) a.clone();
    different.xor(b);
    return different.cardinality();
  }

  @Test
  void quantilesAreThoseOfTheNormalDistribution() {
    assertThat(Normal.quantile(0.5)).isZero();
    assertThat(Normal.quantile(0.975)).isCloseTo(1.959963984540054, within(1e-12));
    assertThat(Normal.quantile(0.025)).isCloseTo(-1.959963984540054, within(1e-12));
    assertThat(Normal.quantile(1e-6)).isCloseTo(-4.753424308822899, within(1e-8));
    for (double x = -5; x <= 5; x += 0.37) {
      assertThat(Normal.quantile(Normal.cdf(x))).isCloseTo(x, within(1e-8));
    }
  }

  @Test
  void onlyCommonDrawsCanDependOnEachOther() {
    assertThatThrownBy(() -> SampleSettings.neighbours(3).withKappa(4))
        .hasMessageContaining("--kappa is for --sampler labor");
    assertThatThrownBy(() -> labor(0)).hasMessageContaining("kappa is at least 1, not 0");
  }
}
