package dev.heddle.comm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class LinkProbeTest {
  /** Two links are slower than the others, and only they are found to be. */
  @ParameterizedTest
  @EnumSource(
      value = Fleet.class,
      names = {"THREADS", "UNIX"})
  void measuresRateAndRoundTripOfEachDirection(Fleet fleet) {
    Links links = Links.parse("40Mbit,0-2=5Mbit,2-1=10Mbit", "20ms");
    boolean[] good = {false, false, false};
    // A busy machine sees messages later than they came.
    for (int attempt = 0; attempt < 8 && !(good[0] && good[1] && good[2]); attempt++) {
      fleet.run(
          3,
          Fleet.SETTINGS.withLinks(links),
          group -> {
            LinkProbe.Samples[] samples = LinkProbe.measure(group);
            assertThat(samples[group.rank()].bytes()).isEmpty();
            good[group.rank()] = true;
            for (int peer = 0; peer < 3; peer++) {
              if (peer != group.rank()) {
                double rate = links.between(group.rank(), peer).bitsPerSecond();
                good[group.rank()] &= isGood(samples[peer], 8 / rate);
              }
            }
          });
    }
    assertThat(good).containsOnly(true);
  }

  /** The time of a byte within 15 %, that of an empty message and its answer within 40 to 80 ms. */
  private static boolean isGood(LinkProbe.Samples samples, double expected) {
    double[] bytes = samples.bytes();
    double[] seconds = samples.seconds();
    double perByte = (seconds[1] - seconds[0]) / (bytes[1] - bytes[0]);
    double latency = seconds[0] - bytes[0] * perByte;
    return Math.abs(perByte / expected - 1) < 0.15 && latency > 0.035 && latency < 0.08;
  }

  @ParameterizedTest
  @EnumSource(
      value = Fleet.class,
      names = {"THREADS", "TCP"})
  void anyNumberOfWorkers(Fleet fleet) {
    for (int workers : new int[] {1, 2, 5}) {
      fleet.run(workers, group -> assertThat(LinkProbe.measure(group)).hasSize(group.size()));
    }
  }
}
