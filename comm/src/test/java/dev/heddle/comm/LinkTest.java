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

  @Test
  void oneDirectionMayDiffer() {
    Links links = Links.parse("1Gbit, 0-2 = 100Mbit,3-1=5kbit", "1ms");
    assertThat(links.between(0, 2)).isEqualTo(new Link(100e6, 1e-3));
    assertThat(links.between(3, 1)).isEqualTo(new Link(5e3, 1e-3));
    assertThat(links.between(2, 0)).isEqualTo(new Link(1e9, 1e-3));
    assertThat(Links.parse("0-1=1Mbit", "0s").between(1, 0)).isEqualTo(Link.UNLIMITED);
    assertThat(Links.parse("1Gbit", "1ms")).isEqualTo(Links.all(new Link(1e9, 1e-3)));
    for (String wrong : new String[] {"1Gbit,", "0-1", "0-1=", "a-b=1Gbit"}) {
      assertThatThrownBy(() -> Links.parse(wrong, "1ms")).hasMessageContaining("a rate like");
    }
    for (String wrong : new String[] {"1-1=1Gbit", "0-3=1Gbit", "9-0=1Gbit"}) {
      GroupSettings settings = Fleet.SETTINGS.withLinks(Links.parse(wrong, "0s"));
      for (Fleet fleet : Fleet.values()) {
        assertThatThrownBy(() -> fleet.run(3, settings, _ -> {}))
            .hasMessageContaining(wrong.substring(0, 3));
      }
    }
  }

  /**
   * Twenty messages of 50 kB at 40 Mbit/s: 10 ms each, one after the other, and 20 ms on the way.
   */
  @ParameterizedTest
  @EnumSource(Fleet.class)
  void takesTheTimeOfTheFormula(Fleet fleet) {
    GroupSettings slow = Fleet.SETTINGS.withLink(Link.parse("40Mbit", "20ms"));
    double expected = 20 * 50_000 * 8 / 40e6 + 0.02;
    assertTakes(fleet, slow, expected, expected, _ -> {});
  }

  /** Each direction has its own rate, from the start or from some time on. */
  @ParameterizedTest
  @EnumSource(Fleet.class)
  void directionsHaveTheirOwnRates(Fleet fleet) {
    double there = 20 * 50_000 * 8 / 80e6 + 0.02;
    double back = 20 * 50_000 * 8 / 30e6 + 0.02;
    GroupSettings both = Fleet.SETTINGS.withLinks(Links.parse("1-0=30Mbit,0-1=80Mbit", "20ms"));
    assertTakes(fleet, both, back, there, _ -> {});
    GroupSettings first = Fleet.SETTINGS.withLink(Link.parse("30Mbit", "20ms"));
    assertTakes(
        fleet,
        first,
        back,
        there,
        group -> {
          if (group.rank() == 0) {
            group.imitate(1, Link.parse("80Mbit", "20ms"));
          }
        });
  }

  /** A sum does not stay behind features that were asked for before it, or not behind all. */
  @ParameterizedTest
  @EnumSource(names = {"UNIX", "TCP"})
  void whatIsWaitedForGoesBeforeWhatIsFetchedAhead(Fleet fleet) {
    GroupSettings slow = Fleet.SETTINGS.withLink(Link.parse("40Mbit", "1ms"));
    long[] arrived = new long[2];
    fleet.run(
        2,
        slow,
        group -> {
          try (Memory memory = new Memory()) {
            int peer = 1 - group.rank();
            List<Transfer> features = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
              Transfer one = way(group, peer, Kind.FEATURE);
              one.start(7, memory.allocate(50_048), 0, 50_000);
              features.add(one);
            }
            Transfer sum = way(group, peer, Kind.GRADIENT);
            sum.start(8, memory.allocate(50_048), 0, 50_000);
            features.forEach(Transfer::await);
            sum.await();
            if (group.rank() == 1) {
              arrived[0] = sum.arrived();
              arrived[1] = features.getLast().arrived();
            }
            group.barrier();
          }
        });
    assertThat(arrived[0]).isLessThan(arrived[1]);
  }

  /** From rank 0 to rank 1. */
  private static Transfer way(Group group, int peer, Kind kind) {
    return group.rank() == 0 ? group.to(peer, kind) : group.from(peer, kind);
  }

  /** How long twenty messages to rank 0 and twenty to rank 1 take, within 5 %. */
  private static void assertTakes(
      Fleet fleet, GroupSettings slow, double toFirst, double toSecond, LocalWorkers.Body before) {
    double[] expected = {toFirst, toSecond};
    double[] ratio = {9, 9};
    // A busy machine makes it later, never earlier.
    for (int attempt = 0; attempt < 8 && Math.max(ratio[0], ratio[1]) > 1.05; attempt++) {
      AtomicLongArray starts = new AtomicLongArray(2);
      fleet.run(
          2,
          slow,
          group -> {
            before.run(group);
            double seconds = bothWays(group, starts);
            ratio[group.rank()] = Math.min(ratio[group.rank()], seconds / expected[group.rank()]);
          });
    }
    for (double each : ratio) {
      assertThat(each).isBetween(0.999, 1.05);
    }
  }

  /**
   * Both directions are used at once, and do not share the rate.
   *
   * @return seconds since the other began to send
   */
  private static double bothWays(Group group, AtomicLongArray starts) {
    try (Memory memory = new Memory()) {
      List<Pending> coming = new ArrayList<>();
      List<Pending> going = new ArrayList<>();
      int peer = 1 - group.rank();
      group.barrier();
      starts.set(group.rank(), System.nanoTime());
      for (int i = 0; i < 20; i++) {
        MemorySegment in = memory.allocate(50_048).asSlice(0, 50_000);
        MemorySegment out = memory.allocate(50_048).asSlice(0, 50_000);
        coming.add(group.receive(peer, i, Kind.HALO, in));
        going.add(group.send(peer, i, Kind.HALO, out));
      }
      coming.forEach(Pending::await);
      double seconds = (System.nanoTime() - starts.get(peer)) / 1e9;
      going.forEach(Pending::await);
      group.barrier();
      return seconds;
    }
  }
}
