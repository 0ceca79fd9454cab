package dev.heddle.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows at a few bits an element, between workers: what goes is what comes, at any widths. */
@Timeout(60)
class QuantisedExchangeTest {
  private final long seed = TestSeed.random(this).nextLong();
  private final SomeRows some = new SomeRows(seed);

  /** The bytes of every message are the sum of 4 + ⌈D·b/8⌉ over its rows, there and back. */
  @ParameterizedTest
  @EnumSource(Fleet.class)
  void sendsWhatTheFormulaSays(Fleet fleet) {
    int cols = 256;
    for (int bits : new int[] {2, 4, 8}) {
      fleet.run(
          3,
          group -> {
            RowExchange.Routes routes = some.routes(group.rank(), 3);
            var codec = Codec.Quantised.of(bits, null);
            try (Memory memory = new Memory();
                ThreadTeam workers = ThreadTeam.of(1)) {
              Matrix x = some.own(memory, group.rank(), SomeRows.count(routes), cols);
              long before = memory.bytes();
              RowExchange exchange = RowExchange.over(group, memory, routes, codec);
              Traffic start = group.traffic();
              exchange.start(workers, x, x, Kind.HALO);
              exchange.finish(workers);
              Traffic there = group.traffic().since(start);
              exchange.startBack(workers, x, x, Kind.HALO);
              exchange.finishBack(workers);
              assertThat(memory.bytes() - before)
                  .isLessThanOrEqualTo(RowExchange.bytes(routes, codec, cols));
              Traffic back = group.traffic().since(start);
              exchange.close();
              for (int peer = 0; peer < 3; peer++) {
                long rowBytes = 4L + cols * bits / 8;
                long sent = rowBytes * routes.sent()[peer].length;
                long returned = rowBytes * routes.received()[peer].length;
                assertThat(there.of(Kind.HALO).to(peer).bytes()).isEqualTo(sent);
                assertThat(back.of(Kind.HALO).to(peer).bytes()).isEqualTo(sent + returned);
              }
              double ratio = 4.0 * cols / (4 + cols * bits / 8);
              assertThat(ratio).isCloseTo(bits == 2 ? 15 : bits == 4 ? 7.8 : 3.9, within(0.1));
              // Headers of messages are within a hundredth of what they carry.
              long payload = back.of(Kind.HALO).bytes();
              assertThat(back.of(Kind.HALO).framingBytes()).isLessThan(payload / 100);
            }
          });
    }
  }

  /** Rows have widths of their own, told once; what comes is what went, rounded to its grid. */
  @ParameterizedTest
  @EnumSource(Fleet.class)
  void rowsHaveTheirOwnWidths(Fleet fleet) {
    for (int workers : new int[] {1, 2, 4}) {
      for (int cols : new int[] {1, 13, 32}) {
        fleet.run(workers, group -> assigned(group, cols));
      }
    }
  }

  private void assigned(Group group, int cols) {
    int me = group.rank();
    int k = group.size();
    RowExchange.Routes routes = some.routes(me, k);
    try (Memory memory = new Memory();
        ThreadTeam workers = ThreadTeam.of(1 + me % 2)) {
      Matrix x = some.own(memory, me, SomeRows.count(routes), cols);
      RowExchange exchange = RowExchange.over(group, memory, routes, Codec.Quantised.of(8, null));
      for (int round = 0; round < 3; round++) {
        byte[][] there = new byte[k][];
        byte[][] back = new byte[k][];
        for (int peer = 0; peer < k; peer++) {
          there[peer] = widths(round, me, peer, routes.sent()[peer].length);
          back[peer] = widths(round + 10, me, peer, routes.received()[peer].length);
        }
        Traffic start = group.traffic();
        exchange.assign(new RowExchange.Widths(there, back));
        long told = count(there) + count(back);
        assertThat(group.traffic().since(start).of(Kind.CONTROL).bytes()).isEqualTo(told);
        exchange.drawsBy(round);
        Traffic before = group.traffic();
        exchange.start(workers, x, x, Kind.FEATURE);
        exchange.finish(workers);
        long expected = 0;
        for (int peer = 0; peer < k; peer++) {
          for (byte bits : there[peer]) {
            expected += 4 + (cols * bits + 7) / 8;
          }
          byte[] theirs = widths(round, peer, me, routes.received()[peer].length);
          for (int i = 0; i < theirs.length; i++) {
            float[] original = some.row(peer, some.wanted(peer, me)[i], cols);
            assertRounded(x, routes.received()[peer][i], original, theirs[i]);
          }
        }
        assertThat(group.traffic().since(before).of(Kind.FEATURE).bytes()).isEqualTo(expected);
        assertThat(exchange.count(2, false) + exchange.count(4, false) + exchange.count(8, false))
            .isEqualTo(count(there));
        Matrix gradient = Matrix.allocate(memory, x.rows(), cols);
        Matrix halo = some.own(memory, me, x.rows(), cols);
        for (int r = SomeRows.OWN; r < halo.rows(); r++) {
          halo.setRow(r, some.row(me, 1000 + r - SomeRows.OWN, cols));
        }
        exchange.startBack(workers, halo, gradient, Kind.FEATURE);
        exchange.finishBack(workers);
        assertReturned(gradient, routes, me, round);
      }
      for (boolean back : new boolean[] {false, true}) {
        float[][] ranges = exchange.squaredRanges(back);
        int[][] rows = back ? routes.received() : routes.sent();
        for (int peer = 0; peer < k; peer++) {
          assertThat(ranges[peer]).hasSize(rows[peer].length);
          for (int i = 0; i < ranges[peer].length; i++) {
            int row = rows[peer][i];
            float[] sorted = some.row(me, back ? 1000 + row - SomeRows.OWN : row, cols);
            Arrays.sort(sorted);
            double range = sorted[cols - 1] - sorted[0];
            assertThat((double) ranges[peer][i])
                .isCloseTo(3 * range * range, within(1e-5 * (1 + range * range)));
          }
        }
      }
      exchange.clearRanges();
      for (boolean back : new boolean[] {false, true}) {
        for (float[] ranges : exchange.squaredRanges(back)) {
          assertThat(ranges).isEqualTo(new float[ranges.length]);
        }
      }
      exchange.close();
    }
  }

  /** What came back to each own row is the sum of what peers sent, each within a step. */
  private void assertReturned(Matrix gradient, RowExchange.Routes routes, int me, int round) {
    int k = routes.sent().length;
    int cols = gradient.cols();
    double[][] expected = new double[SomeRows.OWN][cols];
    double[] slack = new double[SomeRows.OWN];
    for (int peer = 0; peer < k; peer++) {
      int[] theirs = some.routes(peer, k).received()[me];
      byte[] bits = widths(round + 10, peer, me, theirs.length);
      for (int i = 0; i < theirs.length; i++) {
        float[] sent = some.row(peer, 1000 + theirs[i] - SomeRows.OWN, cols);
        int row = routes.sent()[peer][i];
        slack[row] += step(sent, bits[i]);
        for (int c = 0; c < cols; c++) {
          expected[row][c] += sent[c];
        }
      }
    }
    for (int r = 0; r < SomeRows.OWN; r++) {
      for (int c = 0; c < cols; c++) {
        assertThat((double) gradient.get(r, c)).isCloseTo(expected[r][c], within(slack[r] + 1e-6));
      }
    }
  }

  private static long count(byte[][] lists) {
    return Arrays.stream(lists).mapToLong(l -> l.length).sum();
  }

  private byte[] widths(int round, int from, int to, int count) {
    SplittableRandom some = new SplittableRandom(seed + 1009L * round + 31L * from + to);
    byte[] bits = new byte[count];
    for (int i = 0; i < count; i++) {
      bits[i] = (byte) (2 << some.nextInt(3));
    }
    return bits;
  }

  private static void assertRounded(Matrix x, int row, float[] original, int bits) {
    for (int c = 0; c < original.length; c++) {
      assertThat((double) x.get(row, c)).isCloseTo(original[c], within(step(original, bits)));
    }
  }

  /** The distance of levels, at most. */
  private static double step(float[] row, int bits) {
    float[] sorted = row.clone();
    Arrays.sort(sorted);
    double reach = sorted[sorted.length - 1] - sorted[0] + Math.abs(sorted[0]) / 128.0;
    return 1.01 * reach / ((1 << bits) - 1) + 1e-6;
  }

  @Test
  void rowsAsTheyAreHaveNoWidths() {
    Fleet.THREADS.run(
        2,
        group -> {
          RowExchange.Routes routes = some.routes(group.rank(), 2);
          try (Memory memory = new Memory()) {
            RowExchange exchange = RowExchange.over(group, memory, routes, Codec.FP32);
            assertThatThrownBy(() -> exchange.squaredRanges(false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("as they are");
            assertThat(exchange.count(32, false)).isEqualTo(count32(routes));
          }
        });
  }

  private static long count32(RowExchange.Routes routes) {
    return Arrays.stream(routes.sent()).mapToLong(l -> l.length).sum();
  }
}
