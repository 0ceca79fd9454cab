package dev.heddle.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rounds of one exchange that differ: in columns, for which buffers grow, and in kind. */
@Timeout(60)
class RoundsTest {
  private final SomeRows some = new SomeRows(TestSeed.random(this).nextLong());

  @ParameterizedTest
  @EnumSource(Fleet.class)
  void buffersGrowWithTheColumns(Fleet fleet) {
    for (int workers : new int[] {2, 3}) {
      for (Codec codec : List.of(Codec.FP32, Codec.Quantised.of(8, null))) {
        fleet.run(workers, group -> grow(group, codec));
      }
    }
  }

  private void grow(Group group, Codec codec) {
    RowExchange.Routes routes = some.routes(group.rank(), group.size());
    // An old buffer and the one that replaces it are never there at once.
    long most = RowExchange.bytes(routes, codec, 40);
    try (Memory memory = new Memory();
        Memory limited = memory.childLimitedTo(most);
        ThreadTeam team = ThreadTeam.of(1);
        RowExchange exchange = RowExchange.over(group, limited, routes, codec)) {
      long lists = exchange.bytes();
      round(group, exchange, codec, memory, team, 3);
      long narrow = exchange.bytes();
      assertThat(narrow)
          .isGreaterThan(lists)
          .isLessThanOrEqualTo(RowExchange.bytes(routes, codec, 3));
      round(group, exchange, codec, memory, team, 40);
      long wide = exchange.bytes();
      assertThat(wide).isGreaterThan(narrow).isLessThanOrEqualTo(most);
      long taken = limited.allocations();
      for (int cols : new int[] {3, 40, 17}) {
        round(group, exchange, codec, memory, team, cols);
      }
      assertThat(exchange.bytes()).isEqualTo(wide);
      assertThat(limited.allocations()).isEqualTo(taken);
    }
  }

  /** There and back: what comes is what went, in as many bytes as the formula says. */
  private void round(
      Group group, RowExchange exchange, Codec codec, Memory memory, ThreadTeam team, int cols) {
    int me = group.rank();
    int k = group.size();
    RowExchange.Routes routes = some.routes(me, k);
    boolean exact = codec.equals(Codec.FP32);
    Matrix x = some.own(memory, me, SomeRows.count(routes), cols);
    Traffic start = group.traffic();
    exchange.start(team, x, x, Kind.HALO);
    exchange.finish(team);
    long rowBytes = exact ? 4L * cols : 4L + cols;
    assertThat(group.traffic().since(start).of(Kind.HALO).bytes())
        .isEqualTo(rowBytes * count(routes.sent()));
    for (int peer = 0; peer < k; peer++) {
      for (int i = 0; i < routes.received()[peer].length; i++) {
        float[] sent = some.row(peer, some.wanted(peer, me)[i], cols);
        for (int c = 0; c < cols; c++) {
          assertThat(x.get(routes.received()[peer][i], c))
              .isCloseTo(sent[c], within(exact ? 0 : 0.1f));
        }
      }
    }
    Matrix ones = Matrix.allocate(memory, x.rows(), cols);
    ones.fill(1);
    Matrix gradient = Matrix.allocate(memory, x.rows(), cols);
    exchange.startBack(team, ones, gradient, Kind.HALO);
    exchange.finishBack(team);
    int[] readers = new int[SomeRows.OWN];
    for (int[] rows : routes.sent()) {
      for (int row : rows) {
        readers[row]++;
      }
    }
    for (int r = 0; r < SomeRows.OWN; r++) {
      assertThat(gradient.get(r, cols - 1)).isEqualTo(readers[r]);
    }
  }

  private static long count(int[][] lists) {
    return Arrays.stream(lists).mapToLong(l -> l.length).sum();
  }

  /** TLS is the JDK's, and allocates. */
  @ParameterizedTest
  @EnumSource(value = Fleet.class, mode = EnumSource.Mode.EXCLUDE, names = "TLS")
  void roundsThatDifferAllocateNothing(Fleet fleet) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    int rounds = 300;
    fleet.run(
        3,
        group -> {
          RowExchange.Routes routes = some.routes(group.rank(), 3);
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1);
              RowExchange exchange = RowExchange.over(group, memory, routes, Codec.FP32)) {
            Matrix narrow = some.own(memory, group.rank(), SomeRows.count(routes), 3);
            Matrix wide = some.own(memory, group.rank(), SomeRows.count(routes), 40);
            Matrix gradient = Matrix.allocate(memory, wide.rows(), 40);
            long before = 0;
            long offHeap = 0;
            for (int round = 0; round < 2 * rounds; round++) {
              if (round == rounds) {
                before = threads.getCurrentThreadAllocatedBytes();
                offHeap = memory.allocations();
              }
              exchange.start(team, wide, wide, Kind.HALO);
              exchange.finish(team);
              exchange.start(team, narrow, narrow, Kind.EVALUATION);
              exchange.finish(team);
              exchange.startBack(team, wide, gradient, Kind.HALO);
              exchange.finishBack(team);
            }
            long perRound = (threads.getCurrentThreadAllocatedBytes() - before) / rounds;
            // What the JDK's channels allocate for a message is not ours to save.
            assertThat(perRound).isLessThan(fleet == Fleet.THREADS ? 32 : 4096);
            assertThat(memory.allocations()).isEqualTo(offHeap);
          }
        });
  }

  /** Widths can be told before any round, and again before the next. */
  @ParameterizedTest
  @EnumSource(Fleet.class)
  void widthsAreToldBeforeThereIsABuffer(Fleet fleet) {
    fleet.run(
        3,
        group -> {
          RowExchange.Routes routes = some.routes(group.rank(), 3);
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1);
              RowExchange exchange =
                  RowExchange.over(group, memory, routes, Codec.Quantised.of(8, null))) {
            for (int bits : new int[] {2, 4}) {
              exchange.assign(
                  new RowExchange.Widths(all(routes.sent(), bits), all(routes.received(), bits)));
            }
            Matrix x = some.own(memory, group.rank(), SomeRows.count(routes), 1);
            Traffic start = group.traffic();
            exchange.start(team, x, x, Kind.HALO);
            exchange.finish(team);
            assertThat(group.traffic().since(start).of(Kind.HALO).bytes())
                .isEqualTo(5 * count(routes.sent()));
            assertThat(exchange.bytes())
                .isLessThanOrEqualTo(RowExchange.bytes(routes, Codec.Quantised.of(8, null), 1));
          }
        });
  }

  private static byte[][] all(int[][] rows, int bits) {
    byte[][] widths = new byte[rows.length][];
    for (int peer = 0; peer < rows.length; peer++) {
      widths[peer] = new byte[rows[peer].length];
      Arrays.fill(widths[peer], (byte) bits);
    }
    return widths;
  }

  /** Changes are of rows that both ends remember: rounds with other columns are refused. */
  @Test
  void changesKeepTheirColumns() {
    Fleet.THREADS.run(
        2,
        group -> {
          RowExchange.Routes routes = some.routes(group.rank(), 2);
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1)) {
            Matrix room = Matrix.allocate(memory, SomeRows.OWN, 8);
            Codec changes = new Codec.Changes(Codec.Quantised.of(4, null), room);
            try (RowExchange exchange = RowExchange.over(group, memory, routes, changes)) {
              for (int cols : new int[] {7, 9}) {
                Matrix other = some.own(memory, group.rank(), SomeRows.count(routes), cols);
                assertThatThrownBy(() -> exchange.start(team, other, other, Kind.HALO))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("8 columns");
              }
              Matrix right = some.own(memory, group.rank(), SomeRows.count(routes), 8);
              exchange.start(team, right, right, Kind.HALO);
              exchange.finish(team);
            }
          }
        });
  }

  /** One exchange of rows as they are serves both; each kind has its bytes, messages and times. */
  @ParameterizedTest
  @EnumSource(Fleet.class)
  void evaluationsAreCountedApart(Fleet fleet) {
    int trained = 16;
    int evaluated = 40;
    fleet.run(
        3,
        group -> {
          RowExchange.Routes routes = some.routes(group.rank(), 3);
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1);
              RowExchange exchange = RowExchange.over(group, memory, routes, Codec.FP32)) {
            Matrix x = some.own(memory, group.rank(), SomeRows.count(routes), trained);
            Matrix gradient = Matrix.allocate(memory, x.rows(), trained);
            Matrix y = some.own(memory, group.rank(), SomeRows.count(routes), evaluated);
            for (int epoch = 1; epoch <= 4; epoch++) {
              exchange.start(team, x, x, Kind.HALO);
              exchange.finish(team);
              exchange.startBack(team, x, gradient, Kind.HALO);
              exchange.finishBack(team);
              if (epoch % 2 == 0) {
                exchange.start(team, y, y, Kind.EVALUATION);
                exchange.finish(team);
              }
            }
            for (int peer = 0; peer < 3; peer++) {
              long there = routes.sent()[peer].length;
              long back = routes.received()[peer].length;
              Traffic sent = group.traffic().to(peer);
              assertThat(sent.of(Kind.HALO).bytes()).isEqualTo(4L * 4 * trained * (there + back));
              assertThat(sent.of(Kind.HALO).messages())
                  .isEqualTo(4 * (Math.min(1, there) + Math.min(1, back)));
              assertThat(sent.of(Kind.EVALUATION).bytes()).isEqualTo(2L * 4 * evaluated * there);
              assertThat(sent.of(Kind.EVALUATION).messages()).isEqualTo(2 * Math.min(1, there));
            }
            for (Kind kind : Kind.values()) {
              boolean used = kind == Kind.HALO || kind == Kind.EVALUATION;
              assertThat(exchange.times(kind).sentBytes())
                  .isEqualTo(used ? group.traffic().of(kind).bytes() : 0);
            }
            assertThat(exchange.times(Kind.HALO).plus(exchange.times(Kind.EVALUATION)))
                .isEqualTo(exchange.times());
          }
        });
  }

  /** Whoever waits for an evaluation's rows does not wait for those of training. */
  @Test
  void waitingIsCountedByKind() {
    GroupSettings slow = Fleet.SETTINGS.withLink(new Link(Double.POSITIVE_INFINITY, 0.2));
    Fleet.THREADS.run(
        2,
        slow,
        group -> {
          RowExchange.Routes routes = some.routes(group.rank(), 2);
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1);
              RowExchange exchange = RowExchange.over(group, memory, routes, Codec.FP32)) {
            Matrix x = some.own(memory, group.rank(), SomeRows.count(routes), 8);
            exchange.start(team, x, x, Kind.EVALUATION);
            exchange.finish(team);
            Traffic first = group.traffic();
            assertThat(first.of(Kind.EVALUATION).waitingNanos()).isGreaterThan(100_000_000L);
            assertThat(first.of(Kind.HALO).waitingNanos()).isZero();
            assertThat(exchange.times(Kind.EVALUATION).exposedNanos()).isGreaterThan(100_000_000L);
            assertThat(exchange.times(Kind.HALO)).isEqualTo(ExchangeTimes.NONE);
            exchange.start(team, x, x, Kind.HALO);
            exchange.finish(team);
            Traffic second = group.traffic().since(first);
            assertThat(second.of(Kind.HALO).waitingNanos()).isGreaterThan(100_000_000L);
            assertThat(second.of(Kind.EVALUATION).waitingNanos()).isLessThan(100_000_000L);
          }
        });
  }
}
