package dev.heddle.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class RowExchangeTest {
  private final long seed = TestSeed.random(this).nextLong();

  /** Who has how many rows, who needs which of them, and where they go. */
  private final class Plan {
    final int workers;
    final int width;
    final int[] rows;
    final int[] halo;

    /** Per owner and per reader, rows of the owner; and where the reader puts them. */
    final int[][][] sent;

    final int[][][] received;

    Plan(int workers, int width) {
      SplittableRandom random = new SplittableRandom(seed + 100L * workers + width);
      this.workers = workers;
      this.width = width;
      rows = new int[workers];
      halo = new int[workers];
      sent = new int[workers][workers][];
      received = new int[workers][workers][];
      for (int w = 0; w < workers; w++) {
        rows[w] = w == 1 ? 0 : 1 + random.nextInt(1200); // One worker owns nothing.
      }
      for (int reader = 0; reader < workers; reader++) {
        for (int owner = 0; owner < workers; owner++) {
          boolean silent = owner == reader || random.nextInt(4) == 0;
          double share = silent ? 0 : random.nextDouble();
          int owned = rows[owner];
          sent[owner][reader] =
              IntStream.range(0, owned).filter(i -> random.nextDouble() < share).toArray();
          int count = sent[owner][reader].length;
          int first = halo[reader];
          boolean mixed = random.nextBoolean();
          // In order, where rows of some widths need no unpacking; or the other way round.
          received[reader][owner] =
              IntStream.range(0, count)
                  .map(i -> mixed ? first + count - 1 - i : first + i)
                  .toArray();
          halo[reader] += count;
        }
      }
    }

    float value(int worker, int row, int col) {
      return (float)
          new SplittableRandom(seed ^ (worker * 1_000_003L + row * 131L + col)).nextGaussian();
    }

    Matrix own(Memory memory, int worker) {
      Matrix m = Matrix.allocate(memory, rows[worker], width);
      m.fill(Float.NaN);
      for (int r = 0; r < rows[worker]; r++) {
        for (int c = 0; c < width; c++) {
          m.set(r, c, value(worker, r, c));
        }
      }
      return m;
    }
  }

  @ParameterizedTest
  @EnumSource(Fleet.class)
  void movesRowsAndTheirGradients(Fleet fleet) {
    for (int workers : new int[] {1, 2, 3, 4, 7}) {
      for (int width : new int[] {1, 7, 16, 33}) {
        Plan plan = new Plan(workers, width);
        double[] forward = new double[workers];
        double[] back = new double[workers];
        fleet.run(workers, group -> round(group, plan, forward, back));
        double inner = Arrays.stream(forward).sum();
        // <E x, y> = <x, E' y> over all workers.
        assertThat(Arrays.stream(back).sum())
            .isCloseTo(inner, within(1e-4 * (1 + Math.abs(inner))));
      }
    }
  }

  private void round(Group group, Plan plan, double[] forward, double[] back) {
    int me = group.rank();
    RowExchange.Routes routes = new RowExchange.Routes(plan.sent[me], plan.received[me]);
    try (Memory memory = new Memory();
        ThreadTeam workers = ThreadTeam.of(1 + me % 2)) {
      Matrix x = plan.own(memory, me);
      Matrix halo = Matrix.allocate(memory, plan.halo[me], plan.width);
      long before = memory.bytes();
      RowExchange exchange = RowExchange.over(group, memory, routes, Codec.FP32);
      assertThat(memory.bytes() - before).isEqualTo(exchange.bytes());
      Matrix y = Matrix.allocate(memory, plan.halo[me], plan.width);
      SplittableRandom random = new SplittableRandom(seed + me);
      for (int r = 0; r < y.rows(); r++) {
        for (int c = 0; c < y.cols(); c++) {
          y.set(r, c, (float) random.nextGaussian());
        }
      }
      long rowsOut = Arrays.stream(plan.sent[me]).mapToLong(l -> l.length).sum();
      long messagesOut = Arrays.stream(plan.sent[me]).filter(l -> l.length > 0).count();
      long messagesIn = Arrays.stream(plan.received[me]).filter(l -> l.length > 0).count();
      for (int repeat = 0; repeat < 2; repeat++) {
        Traffic start = group.traffic();
        halo.fill(Float.NaN);
        exchange.start(workers, x, halo, Kind.HALO);
        exchange.finish(workers);
        checkHalo(plan, me, halo);
        Matrix gradient = Matrix.allocate(memory, plan.rows[me], plan.width);
        exchange.startBack(workers, y, gradient, Kind.HALO);
        exchange.finishBack(workers);
        forward[me] = dot(halo, y);
        back[me] = dot(x, gradient);
        Traffic sent = group.traffic().since(start).of(Kind.HALO);
        assertThat(sent.bytes()).isEqualTo((rowsOut + plan.halo[me]) * plan.width * 4);
        assertThat(sent.messages()).isEqualTo(messagesOut + messagesIn);
        for (int peer = 0; peer < plan.workers; peer++) {
          assertThat(sent.to(peer).bytes())
              .isEqualTo(
                  4L * plan.width * (plan.sent[me][peer].length + plan.received[me][peer].length));
        }
      }
      assertThat(exchange.bytes())
          .isLessThanOrEqualTo(RowExchange.bytes(routes, Codec.FP32, plan.width));
      exchange.close();
      assertThat(exchange.bytes()).isZero();
    }
  }

  /** T-G6: an exchange whose lists change does in each round what one made for them would. */
  @ParameterizedTest
  @EnumSource(Fleet.class)
  void listsChangeBetweenRounds(Fleet fleet) {
    for (int workers : new int[] {1, 2, 4}) {
      fleet.run(
          workers,
          group -> {
            for (int bits : new int[] {32, 2, 4, 8}) {
              changing(group, bits);
            }
          });
    }
  }

  private void changing(Group group, int bits) {
    int me = group.rank();
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(1 + me % 2)) {
      RowIds ids = RowIds.of(memory, IntStream.range(0, 1 << 14).map(i -> 7 * i).toArray());
      Codec codec = bits == 32 ? Codec.FP32 : Codec.Quantised.of(bits, ids);
      RowExchange changing = RowExchange.changing(group, memory, codec);
      for (int width : new int[] {7, 33, 16, 1}) {
        Plan plan = new Plan(group.size(), width);
        changing.list(lists(plan, me, memory, ids));
        RowExchange made =
            RowExchange.over(
                group, memory, new RowExchange.Routes(plan.sent[me], plan.received[me]), codec);
        float[][][] expected = both(made, plan, me, team, memory);
        assertThat(Arrays.deepEquals(both(changing, plan, me, team, memory), expected)).isTrue();
        made.close();
      }
      changing.close();
    }
  }

  /** The halo, and what comes back of something else. */
  private float[][][] both(
      RowExchange exchange, Plan plan, int me, ThreadTeam team, Memory memory) {
    exchange.drawsBy(plan.width);
    Matrix x = plan.own(memory, me);
    Matrix halo = Matrix.allocate(memory, plan.halo[me], plan.width);
    exchange.start(team, x, halo, Kind.HALO);
    exchange.finish(team);
    Matrix gradient = Matrix.allocate(memory, plan.rows[me], plan.width);
    exchange.startBack(team, halo, gradient, Kind.HALO);
    exchange.finishBack(team);
    return new float[][][] {halo.toArray(), gradient.toArray()};
  }

  /** The plan of a worker as lists behind something that is not theirs. */
  private static RowExchange.Lists lists(Plan plan, int me, Memory memory, RowIds ids) {
    int[] sentStarts = starts(plan.sent[me]);
    int[] receivedStarts = starts(plan.received[me]);
    return new RowExchange.Lists(
        flat(plan.sent[me], memory),
        sentStarts,
        flat(plan.received[me], memory),
        receivedStarts,
        ids);
  }

  private static int[] starts(int[][] lists) {
    int[] starts = new int[lists.length + 1];
    starts[0] = 3;
    for (int i = 0; i < lists.length; i++) {
      starts[i + 1] = starts[i] + lists[i].length;
    }
    return starts;
  }

  private static MemorySegment flat(int[][] lists, Memory memory) {
    IntStream all = Arrays.stream(lists).flatMapToInt(IntStream::of);
    return RowIds.of(memory, IntStream.concat(IntStream.of(-1, -1, -1), all).toArray()).values();
  }

  /** Heddle does not; the JDK's TLS engine makes objects for every record. */
  @ParameterizedTest
  @EnumSource(value = Fleet.class, mode = EnumSource.Mode.EXCLUDE, names = "TLS")
  void allocatesNothingInSteadyState(Fleet fleet) {
    Plan plan = new Plan(3, 16);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    fleet.run(
        3,
        group -> {
          int me = group.rank();
          try (Memory memory = new Memory();
              ThreadTeam workers = ThreadTeam.of(1)) {
            RowExchange exchange =
                RowExchange.over(
                    group,
                    memory,
                    new RowExchange.Routes(plan.sent[me], plan.received[me]),
                    Codec.FP32);
            Matrix x = plan.own(memory, me);
            Matrix halo = Matrix.allocate(memory, plan.halo[me], 16);
            int rounds = 300;
            long before = 0;
            long offHeap = 0;
            for (int round = 0; round < 2 * rounds; round++) {
              if (round == rounds) {
                before = threads.getCurrentThreadAllocatedBytes();
                offHeap = memory.allocations();
              }
              exchange.start(workers, x, halo, Kind.HALO);
              exchange.finish(workers);
              exchange.startBack(workers, halo, x, Kind.HALO);
              exchange.finishBack(workers);
            }
            long perRound = (threads.getCurrentThreadAllocatedBytes() - before) / rounds;
            // What the JDK's channels allocate for a message is not ours to save.
            assertThat(perRound).isLessThan(fleet == Fleet.THREADS ? 32 : 4096);
            assertThat(memory.allocations()).isEqualTo(offHeap);
            exchange.close();
          }
        });
  }

  private static void checkHalo(Plan plan, int me, Matrix halo) {
    for (int owner = 0; owner < plan.workers; owner++) {
      for (int i = 0; i < plan.received[me][owner].length; i++) {
        for (int c = 0; c < plan.width; c++) {
          assertThat(halo.get(plan.received[me][owner][i], c))
              .isEqualTo(plan.value(owner, plan.sent[owner][me][i], c));
        }
      }
    }
  }

  private static double dot(Matrix a, Matrix b) {
    double sum = 0;
    for (int r = 0; r < a.rows(); r++) {
      for (int c = 0; c < a.cols(); c++) {
        sum += (double) a.get(r, c) * b.get(r, c);
      }
    }
    return sum;
  }
}
