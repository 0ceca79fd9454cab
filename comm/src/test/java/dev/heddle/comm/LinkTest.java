package dev.heddle.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class LinkTest {
  @Test
  void readsTheWordsOfTheCommandLine() {
    assertThat(Link.parse("1Gbit", "0.2ms")).isEqualTo(new Link(1e9, 0.2e-3));
    assertThat(Link.parse("2.5 mbit", "0s")).isEqualTo(new Link(2.5e6, 0));
    assertThat(Link.parse("300kbit", "50us").latencySeconds()).isBetween(49.9e-6, 50.1e-6);
    for (String wrong : new String[] {"fast", "1", "-1Gbit", "1GB", ""}) {
      assertThatThrownBy(() -> Link.parse(wrong, "1ms")).hasMessageContaining("'" + wrong + "'");
    }
    assertThatThrownBy(() -> Link.parse("1Gbit", "1Gbit")).hasMessageContaining("latency");
    assertThatThrownBy(() -> Link.parse("0bit", "1ms")).hasMessageContaining("positive");
  }

  /**
   * Twenty messages of 50 kB at 40 Mbit/s: 10 ms each, one after the other, and 20 ms on the way.
   */
  @ParameterizedTest
  @EnumSource(Fleet.class)
  void takesTheTimeOfTheFormula(Fleet fleet) {
    GroupSettings slow = Fleet.SETTINGS.withLink(Link.parse("40Mbit", "20ms"));
    double expected = 20 * 50_000 * 8 / 40e6 + 0.02;
    double best = Double.POSITIVE_INFINITY;
    // A busy machine makes it later, never earlier.
    for (int attempt = 0; attempt < 5 && best > 1.05 * expected; attempt++) {
      double[] seconds = new double[2];
      AtomicLongArray starts = new AtomicLongArray(2);
      fleet.run(2, slow, group -> seconds[group.rank()] = bothWays(group, starts));
      for (double time : seconds) {
        assertThat(time).isGreaterThanOrEqualTo(0.999 * expected);
        best = Math.min(best, time);
      }
    }
    assertThat(best).isLessThanOrEqualTo(1.05 * expected);
  }

  /**
   * Both directions are used at once, and do not share the rate.
   *
   * @return seconds since the other began to send
   */
  private static double bothWays(Group group, AtomicLongArray starts) {
    try (Memory memory = new Memory()) {
      List<Pending> pending = new ArrayList<>();
      int peer = 1 - group.rank();
      group.barrier();
      starts.set(group.rank(), System.nanoTime());
      for (int i = 0; i < 20; i++) {
        MemorySegment in = memory.allocate(50_048).asSlice(0, 50_000);
        MemorySegment out = memory.allocate(50_048).asSlice(0, 50_000);
        pending.add(group.receive(peer, i, Kind.HALO, in));
        pending.add(group.send(peer, i, Kind.HALO, out));
      }
      pending.forEach(Pending::await);
      double seconds = (System.nanoTime() - starts.get(peer)) / 1e9;
      group.barrier();
      return seconds;
    }
  }
}
