package dev.heddle.comm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class LinkProbeTest {
  /** 128 KB take 105 ms at 10 Mbit/s, and any message and its answer 40 ms. */
  @ParameterizedTest
  @EnumSource(
      value = Fleet.class,
      names = {"THREADS", "UNIX"})
  void measuresRateAndRoundTrip(Fleet fleet) {
    fleet.run(
        3,
        Fleet.SETTINGS.withLink(new Link(10e6, 0.02)),
        group -> {
          LinkProbe.Samples[] samples = LinkProbe.measure(group);
          assertThat(samples[group.rank()].bytes()).isEmpty();
          for (int peer = 0; peer < 3; peer++) {
            if (peer == group.rank()) {
              continue;
            }
            double[] bytes = samples[peer].bytes();
            double[] seconds = samples[peer].seconds();
            int last = bytes.length - 1;
            double perByte = (seconds[last] - seconds[0]) / (bytes[last] - bytes[0]);
            assertThat(perByte).isBetween(0.85 * 8e-7, 1.15 * 8e-7);
            double latency = seconds[0] - bytes[0] * perByte;
            assertThat(latency).isBetween(0.02, 0.08);
          }
        });
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
