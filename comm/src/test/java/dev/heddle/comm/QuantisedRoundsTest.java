package dev.heddle.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.ThreadTeam;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rounds of rows at a few bits an element: what they draw and hide. */
@Timeout(60)
class QuantisedRoundsTest {
  private final long seed = TestSeed.random(this).nextLong();
  private final SomeRows some = new SomeRows(seed);

  /** A row is rounded alike for all who get it; gradients of one row, by each in its own way. */
  @Test
  void drawsAreAlikeThereAndDifferBack() {
    int cols = 64;
    float[][] got = new float[3][];
    float[][] twice = new float[1][];
    Fleet.THREADS.run(
        3,
        group -> {
          int me = group.rank();
          int[] none = {};
          int[][] sent = {none, none, none};
          int[][] received = {none, none, none};
          if (me == 0) {
            sent[1] = new int[] {0};
            sent[2] = new int[] {0};
          } else {
            received[0] = new int[] {1};
          }
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1)) {
            RowIds ids = RowIds.of(memory, new int[] {me == 0 ? 77 : -1, 77});
            RowExchange exchange =
                RowExchange.over(
                    group,
                    memory,
                    new RowExchange.Routes(sent, received),
                    Codec.Quantised.of(2, ids));
            exchange.drawsBy(seed);
            Matrix x = Matrix.allocate(memory, 2, cols);
            x.setRow(0, some.row(0, 0, cols));
            x.setRow(1, some.row(0, 0, cols));
            exchange.start(team, x, x, Kind.HALO);
            exchange.finish(team);
            got[me] = x.toArray()[1].clone();
            Matrix gradient = Matrix.allocate(memory, 2, cols);
            x.setRow(1, some.row(0, 0, cols));
            exchange.startBack(team, x, gradient, Kind.HALO);
            exchange.finishBack(team);
            if (me == 0) {
              twice[0] = gradient.toArray()[0];
            }
            exchange.close();
          }
        });
    assertThat(got[1]).isEqualTo(got[2]);
    boolean odd = false;
    float[] levels = got[1];
    for (int c = 0; c < cols; c++) {
      // Were both rounded alike, each sum would be twice a level.
      float sum = twice[0][c];
      boolean even = false;
      for (float level : levels) {
        even |= Math.abs(sum - 2 * level) < 1e-5;
      }
      odd |= !even;
    }
    assertThat(odd).isTrue();
  }

  /** What is done while rows travel hides their travelling; waiting at once hides nothing. */
  @Test
  void travelIsHiddenByWhatIsDoneMeanwhile() {
    Link slow = new Link(Double.POSITIVE_INFINITY, 0.3);
    Fleet.THREADS.run(
        2,
        Fleet.SETTINGS.withLink(slow),
        group -> {
          RowExchange.Routes routes = some.routes(group.rank(), 2);
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1)) {
            RowExchange exchange =
                RowExchange.over(group, memory, routes, Codec.Quantised.of(4, null));
            Matrix x = some.own(memory, group.rank(), SomeRows.count(routes), 8);
            exchange.start(team, x, x, Kind.HALO);
            exchange.finish(team);
            ExchangeTimes waited = exchange.times();
            assertThat(waited.hiddenFraction()).isLessThan(0.6);
            assertThat(waited.travelNanos()).isGreaterThan(250_000_000L);
            exchange.start(team, x, x, Kind.HALO);
            Thread.sleep(500);
            exchange.finish(team);
            ExchangeTimes hidden = exchange.times().minus(waited);
            // The other may have been late to send: what is left of that is waited for.
            assertThat(hidden.hiddenFraction()).isGreaterThan(waited.hiddenFraction());
            exchange.close();
          }
        });
  }

  /**
   * What is done while rows travel costs nothing where it takes less long; done afterwards, all of
   * it. Of a round the slower worker counts: whoever starts first waits for all of the latency.
   */
  @Test
  void overlapTakesLessThanTheSum() {
    double latency = 0.3;
    double work = 0.25;
    int attempts = 5;
    double[][] overlapped = new double[2][attempts];
    double[][] oneByOne = new double[2][attempts];
    Fleet.THREADS.run(
        2,
        Fleet.SETTINGS.withLink(new Link(Double.POSITIVE_INFINITY, latency)),
        group -> {
          RowExchange.Routes routes = some.routes(group.rank(), 2);
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1)) {
            RowExchange exchange =
                RowExchange.over(group, memory, routes, Codec.Quantised.of(4, null));
            Matrix x = some.own(memory, group.rank(), SomeRows.count(routes), 8);
            for (int i = 0; i < attempts; i++) {
              group.sum(new long[1]);
              long began = System.nanoTime();
              exchange.start(team, x, x, Kind.HALO);
              work(work);
              exchange.finish(team);
              overlapped[group.rank()][i] = 1e-9 * (System.nanoTime() - began);
              group.sum(new long[1]);
              began = System.nanoTime();
              exchange.start(team, x, x, Kind.HALO);
              exchange.finish(team);
              work(work);
              oneByOne[group.rank()][i] = 1e-9 * (System.nanoTime() - began);
            }
            exchange.close();
          }
        });
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < attempts; i++) {
      least = Math.min(least, Math.max(overlapped[0][i], overlapped[1][i]));
      assertThat(Math.max(oneByOne[0][i], oneByOne[1][i]))
          .isGreaterThanOrEqualTo(latency + work - 0.001);
    }
    assertThat(least).isLessThan(latency + work - 0.1);
  }

  private static void work(double seconds) throws InterruptedException {
    long end = System.nanoTime() + (long) (1e9 * seconds);
    while (System.nanoTime() - end < 0) {
      Thread.sleep(1);
    }
  }

  /** Rows that stay as they are come closer every time, there and back, in as many bytes. */
  @ParameterizedTest
  @EnumSource(Fleet.class)
  void changesAddUpToRows(Fleet fleet) {
    int cols = 24;
    fleet.run(
        3,
        group -> {
          RowExchange.Routes routes = some.routes(group.rank(), 3);
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1)) {
            Matrix x = some.own(memory, group.rank(), SomeRows.count(routes), cols);
            Matrix halo = Matrix.allocate(memory, x.rows(), cols);
            Matrix ones = Matrix.allocate(memory, x.rows(), cols);
            Matrix gradient = Matrix.allocate(memory, x.rows(), cols);
            for (int r = 0; r < x.rows(); r++) {
              ones.setRow(r, some.row(7, r % 3, cols));
            }
            Matrix room = Matrix.allocate(memory, SomeRows.OWN, cols);
            var changes = new Codec.Changes(Codec.Quantised.of(2, null), room);
            long before = memory.bytes();
            RowExchange exchange = RowExchange.over(group, memory, routes, changes);
            for (int round = 0; round < 60; round++) {
              exchange.drawsBy(round);
              Traffic start = group.traffic();
              exchange.start(team, x, halo, Kind.HALO);
              exchange.finish(team);
              long sent = group.traffic().since(start).of(Kind.HALO).bytes();
              assertThat(sent).isEqualTo(count(routes.sent()) * (4L + cols * 2 / 8));
              gradient.fill(0);
              exchange.startBack(team, ones, gradient, Kind.HALO);
              exchange.finishBack(team);
            }
            assertThat(memory.bytes() - before)
                .isLessThanOrEqualTo(RowExchange.bytes(routes, changes, cols));
            float[][] arrived = halo.toArray();
            for (int peer = 0; peer < 3; peer++) {
              for (int i = 0; i < routes.received()[peer].length; i++) {
                float[] sent = some.row(peer, some.wanted(peer, group.rank())[i], cols);
                assertThat(arrived[routes.received()[peer][i]])
                    .containsExactly(sent, within(1e-4f));
              }
            }
            double[][] expected = new double[SomeRows.OWN][cols];
            for (int peer = 0; peer < 3; peer++) {
              int[] theirs = some.routes(peer, 3).received()[group.rank()];
              for (int i = 0; i < theirs.length; i++) {
                float[] sent = some.row(7, theirs[i] % 3, cols);
                for (int c = 0; c < cols; c++) {
                  expected[routes.sent()[peer][i]][c] += sent[c];
                }
              }
            }
            for (int r = 0; r < SomeRows.OWN; r++) {
              for (int c = 0; c < cols; c++) {
                assertThat((double) gradient.get(r, c)).isCloseTo(expected[r][c], within(1e-3));
              }
            }
            exchange.close();
          }
        });
  }

  private static long count(int[][] lists) {
    return Arrays.stream(lists).mapToLong(l -> l.length).sum();
  }
}
