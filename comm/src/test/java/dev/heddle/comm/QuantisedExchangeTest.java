package dev.heddle.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.Workers;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows at a few bits an element, between workers. */
@Timeout(60)
class QuantisedExchangeTest {
  private static final int OWN = 160;

  private final SplittableRandom random = TestSeed.random(this);
  private final long seed = random.nextLong();

  /** Everyone has as many rows, and needs some of everyone else's, of one other's none. */
  private RowExchange.Routes routes(int me, int workers) {
    int[][] sent = new int[workers][];
    int[][] received = new int[workers][];
    int next = OWN;
    for (int peer = 0; peer < workers; peer++) {
      sent[peer] = wanted(me, peer);
      int[] theirs = wanted(peer, me);
      int first = next;
      received[peer] = IntStream.range(0, theirs.length).map(i -> first + i).toArray();
      next += theirs.length;
    }
    return new RowExchange.Routes(sent, received);
  }

  private int[] wanted(int owner, int reader) {
    if (owner == reader || (reader == owner + 1 && owner > 0)) {
      return new int[0];
    }
    SplittableRandom some = new SplittableRandom(seed + 31L * owner + reader);
    return IntStream.range(0, OWN).filter(_ -> some.nextInt(3) > 0).toArray();
  }

  private static int rows(RowExchange.Routes routes) {
    return OWN + Arrays.stream(routes.received()).mapToInt(l -> l.length).sum();
  }

  private Matrix own(Memory memory, int me, int rows, int cols) {
    Matrix m = Matrix.allocate(memory, rows, cols);
    m.fill(Float.NaN);
    for (int r = 0; r < OWN; r++) {
      m.setRow(r, row(me, r, cols));
    }
    return m;
  }

  private float[] row(int worker, int row, int cols) {
    SplittableRandom values = new SplittableRandom(seed ^ (worker * 1_000_003L + row));
    float[] made = new float[cols];
    for (int c = 0; c < cols; c++) {
      made[c] = (float) values.nextGaussian();
    }
    return made;
  }

  /** The bytes of every message are the sum of 4 + ⌈D·b/8⌉ over its rows, there and back. */
  @ParameterizedTest
  @EnumSource(Fleet.class)
  void sendsWhatTheFormulaSays(Fleet fleet) {
    int cols = 256;
    for (int bits : new int[] {2, 4, 8}) {
      fleet.run(
          3,
          group -> {
            RowExchange.Routes routes = routes(group.rank(), 3);
            var wire = new RowExchange.Wire(Kind.HALO, cols, Codec.Quantised.of(bits, null));
            try (Memory memory = new Memory();
                Workers workers = Workers.of(1)) {
              Matrix x = own(memory, group.rank(), rows(routes), cols);
              long before = memory.bytes();
              RowExchange exchange = RowExchange.over(group, memory, routes, wire);
              assertThat(memory.bytes() - before)
                  .isLessThanOrEqualTo(RowExchange.bytes(routes, wire));
              Traffic start = group.traffic();
              exchange.start(workers, x, x);
              exchange.finish(workers);
              Traffic there = group.traffic().since(start);
              exchange.startBack(workers, x, x);
              exchange.finishBack(workers);
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
    RowExchange.Routes routes = routes(me, k);
    try (Memory memory = new Memory();
        Workers workers = Workers.of(1 + me % 2)) {
      Matrix x = own(memory, me, rows(routes), cols);
      RowExchange exchange =
          RowExchange.over(
              group,
              memory,
              routes,
              new RowExchange.Wire(Kind.FEATURE, 32, Codec.Quantised.of(8, null)));
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
        exchange.start(workers, x, x);
        exchange.finish(workers);
        long expected = 0;
        for (int peer = 0; peer < k; peer++) {
          for (byte bits : there[peer]) {
            expected += 4 + (cols * bits + 7) / 8;
          }
          byte[] theirs = widths(round, peer, me, routes.received()[peer].length);
          for (int i = 0; i < theirs.length; i++) {
            float[] original = row(peer, wanted(peer, me)[i], cols);
            assertRounded(x, routes.received()[peer][i], original, theirs[i]);
          }
        }
        assertThat(group.traffic().since(before).of(Kind.FEATURE).bytes()).isEqualTo(expected);
        assertThat(exchange.count(2, false) + exchange.count(4, false) + exchange.count(8, false))
            .isEqualTo(count(there));
        Matrix gradient = Matrix.allocate(memory, x.rows(), cols);
        Matrix halo = own(memory, me, x.rows(), cols);
        for (int r = OWN; r < halo.rows(); r++) {
          halo.setRow(r, row(me, 1000 + r - OWN, cols));
        }
        exchange.startBack(workers, halo, gradient);
        exchange.finishBack(workers);
        assertReturned(gradient, routes, me, round);
      }
      float[][] ranges = exchange.squaredRanges(false);
      for (int peer = 0; peer < k; peer++) {
        for (int i = 0; i < ranges[peer].length; i++) {
          float[] sorted = row(me, routes.sent()[peer][i], cols);
          Arrays.sort(sorted);
          double range = sorted[cols - 1] - sorted[0];
          assertThat((double) ranges[peer][i])
              .isCloseTo(3 * range * range, within(1e-5 * (1 + range * range)));
        }
      }
      exchange.clearRanges();
      assertThat(
              Arrays.stream(exchange.squaredRanges(true))
                  .mapToDouble(r -> r.length == 0 ? 0 : r[0]))
          .allMatch(r -> r == 0);
      exchange.close();
    }
  }

  /** What came back to each own row is the sum of what peers sent, each within a step. */
  private void assertReturned(Matrix gradient, RowExchange.Routes routes, int me, int round) {
    int k = routes.sent().length;
    int cols = gradient.cols();
    double[][] expected = new double[OWN][cols];
    double[] slack = new double[OWN];
    for (int peer = 0; peer < k; peer++) {
      int[] theirs = routes(peer, k).received()[me];
      byte[] bits = widths(round + 10, peer, me, theirs.length);
      for (int i = 0; i < theirs.length; i++) {
        float[] sent = row(peer, 1000 + theirs[i] - OWN, cols);
        int row = routes.sent()[peer][i];
        slack[row] += step(sent, bits[i]);
        for (int c = 0; c < cols; c++) {
          expected[row][c] += sent[c];
        }
      }
    }
    for (int r = 0; r < OWN; r++) {
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

  /** Rows that stay as they are come closer every time, there and back, in as many bytes. */
  @ParameterizedTest
  @EnumSource(Fleet.class)
  void changesAddUpToRows(Fleet fleet) {
    int cols = 24;
    fleet.run(
        3,
        group -> {
          RowExchange.Routes routes = routes(group.rank(), 3);
          try (Memory memory = new Memory();
              Workers workers = Workers.of(1)) {
            Matrix x = own(memory, group.rank(), rows(routes), cols);
            Matrix halo = Matrix.allocate(memory, x.rows(), cols);
            Matrix ones = Matrix.allocate(memory, x.rows(), cols);
            Matrix gradient = Matrix.allocate(memory, x.rows(), cols);
            for (int r = 0; r < x.rows(); r++) {
              ones.setRow(r, row(7, r % 3, cols));
            }
            Matrix room = Matrix.allocate(memory, OWN, cols);
            var changes = new Codec.Changes(Codec.Quantised.of(2, null), room);
            var wire = new RowExchange.Wire(Kind.HALO, cols, changes);
            long before = memory.bytes();
            RowExchange exchange = RowExchange.over(group, memory, routes, wire);
            assertThat(memory.bytes() - before)
                .isLessThanOrEqualTo(RowExchange.bytes(routes, wire));
            for (int round = 0; round < 60; round++) {
              exchange.drawsBy(round);
              Traffic start = group.traffic();
              exchange.start(workers, x, halo);
              exchange.finish(workers);
              long sent = group.traffic().since(start).of(Kind.HALO).bytes();
              assertThat(sent).isEqualTo(count(routes.sent()) * (4L + cols * 2 / 8));
              gradient.fill(0);
              exchange.startBack(workers, ones, gradient);
              exchange.finishBack(workers);
            }
            float[][] arrived = halo.toArray();
            for (int peer = 0; peer < 3; peer++) {
              for (int i = 0; i < routes.received()[peer].length; i++) {
                float[] sent = row(peer, wanted(peer, group.rank())[i], cols);
                assertThat(arrived[routes.received()[peer][i]])
                    .containsExactly(sent, within(1e-4f));
              }
            }
            double[][] expected = new double[OWN][cols];
            for (int peer = 0; peer < 3; peer++) {
              int[] theirs = routes(peer, 3).received()[group.rank()];
              for (int i = 0; i < theirs.length; i++) {
                float[] sent = row(7, theirs[i] % 3, cols);
                for (int c = 0; c < cols; c++) {
                  expected[routes.sent()[peer][i]][c] += sent[c];
                }
              }
            }
            for (int r = 0; r < OWN; r++) {
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
              Workers workers = Workers.of(1)) {
            RowIds ids = RowIds.of(memory, new int[] {me == 0 ? 77 : -1, 77});
            RowExchange exchange =
                RowExchange.over(
                    group,
                    memory,
                    new RowExchange.Routes(sent, received),
                    new RowExchange.Wire(Kind.HALO, cols, Codec.Quantised.of(2, ids)));
            exchange.drawsBy(seed);
            Matrix x = Matrix.allocate(memory, 2, cols);
            x.setRow(0, row(0, 0, cols));
            x.setRow(1, row(0, 0, cols));
            exchange.start(workers, x, x);
            exchange.finish(workers);
            got[me] = x.toArray()[1].clone();
            Matrix gradient = Matrix.allocate(memory, 2, cols);
            x.setRow(1, row(0, 0, cols));
            exchange.startBack(workers, x, gradient);
            exchange.finishBack(workers);
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
          RowExchange.Routes routes = routes(group.rank(), 2);
          try (Memory memory = new Memory();
              Workers workers = Workers.of(1)) {
            RowExchange exchange =
                RowExchange.over(
                    group,
                    memory,
                    routes,
                    new RowExchange.Wire(Kind.HALO, 8, Codec.Quantised.of(4, null)));
            Matrix x = own(memory, group.rank(), rows(routes), 8);
            exchange.start(workers, x, x);
            exchange.finish(workers);
            ExchangeTimes waited = exchange.times();
            assertThat(waited.hiddenFraction()).isLessThan(0.6);
            assertThat(waited.travelNanos()).isGreaterThan(250_000_000L);
            exchange.start(workers, x, x);
            Thread.sleep(500);
            exchange.finish(workers);
            ExchangeTimes hidden = exchange.times().minus(waited);
            // The other may have been late to send: what is left of that is waited for.
            assertThat(hidden.hiddenFraction()).isGreaterThan(waited.hiddenFraction());
            exchange.close();
          }
        });
  }

  @Test
  void rowsAsTheyAreHaveNoWidths() {
    Fleet.THREADS.run(
        2,
        group -> {
          RowExchange.Routes routes = routes(group.rank(), 2);
          try (Memory memory = new Memory()) {
            RowExchange exchange =
                RowExchange.over(group, memory, routes, RowExchange.Wire.halo(4));
            assertThatThrownBy(() -> exchange.squaredRanges(false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("as they are");
            assertThat(exchange.count(32, false)).isEqualTo(count(routes.sent()));
          }
        });
  }

  /** TLS is the JDK's, and allocates. */
  @ParameterizedTest
  @EnumSource(value = Fleet.class, mode = EnumSource.Mode.EXCLUDE, names = "TLS")
  void allocatesNothingInSteadyState(Fleet fleet) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    fleet.run(
        3,
        group -> {
          RowExchange.Routes routes = routes(group.rank(), 3);
          try (Memory memory = new Memory();
              Workers workers = Workers.of(1)) {
            RowExchange exchange =
                RowExchange.over(
                    group,
                    memory,
                    routes,
                    new RowExchange.Wire(Kind.HALO, 16, Codec.Quantised.of(4, null)));
            Matrix x = own(memory, group.rank(), rows(routes), 16);
            Matrix gradient = Matrix.allocate(memory, x.rows(), 16);
            // What the JDK's channels allocate for a message is not ours to save.
            long limit = fleet == Fleet.THREADS ? 64 : 4096;
            int rounds = 400;
            long least = Long.MAX_VALUE;
            // Until a kernel is compiled its vectors are objects, at whichever worker is last.
            long[] waiting = {1};
            for (int batch = 0; batch < 100 && waiting[0] > 0; batch++) {
              long before = threads.getCurrentThreadAllocatedBytes();
              for (int round = 0; round < rounds; round++) {
                exchange.drawsBy(round);
                exchange.start(workers, x, x);
                exchange.finish(workers);
                exchange.startBack(workers, x, gradient);
                exchange.finishBack(workers);
              }
              least = Math.min(least, (threads.getCurrentThreadAllocatedBytes() - before) / rounds);
              waiting[0] = least < limit ? 0 : 1;
              group.sum(waiting);
            }
            assertThat(least).isLessThan(limit);
            exchange.close();
          }
        });
  }
}
