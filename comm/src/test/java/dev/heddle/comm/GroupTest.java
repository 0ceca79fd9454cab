package dev.heddle.comm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class GroupTest {
  private static final List<Kind> KINDS = List.of(Kind.values());
  private static final int[] SIZES = {1, 2, 3, 4, 7};

  private final long seed = TestSeed.random(this).nextLong();

  /** Random bytes that both ends of a message can make. */
  private void fill(MemorySegment bytes, long key) {
    for (long i = 0; i < bytes.byteSize(); i++) {
      bytes.set(JAVA_BYTE, i, (byte) Draws.at(seed ^ key, i / 64));
    }
  }

  private void check(MemorySegment bytes, long key) {
    for (long i = 0; i < bytes.byteSize(); i++) {
      byte expected = (byte) Draws.at(seed ^ key, i / 64);
      if (bytes.get(JAVA_BYTE, i) != expected) {
        assertThat(bytes.get(JAVA_BYTE, i)).as("byte %d of %s", i, bytes).isEqualTo(expected);
      }
    }
  }

  /** Sizes on all sides of what transports treat differently. */
  private static int size(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> random.nextInt(3);
      case 1 -> random.nextInt(2_000);
      case 2 -> (64 << 10) + random.nextInt(3) - 1;
      default -> random.nextInt(300_000);
    };
  }

  @ParameterizedTest
  @EnumSource(Fleet.class)
  void deliversAStormOfMessagesByteForByte(Fleet fleet) {
    for (int workers : SIZES) {
      fleet.run(workers, group -> storm(group, workers));
    }
  }

  /** Each pair sends messages of random tags and sizes; receives are posted in another order. */
  private void storm(Group group, int workers) {
    int messages = 40 / workers;
    try (Memory memory = new Memory()) {
      List<Runnable> receives = new ArrayList<>();
      List<Pending> sends = new ArrayList<>();
      for (int peer = 0; peer < workers; peer++) {
        if (peer == group.rank()) {
          continue;
        }
        int from = peer;
        for (int m = 0; m < messages; m++) {
          int tag = m;
          long out = key(group.rank(), peer, m);
          MemorySegment bytes = exactly(memory, size(new SplittableRandom(seed ^ out)));
          fill(bytes, out);
          sends.add(group.send(peer, tag, KINDS.get(m % 6), bytes));
          receives.add(() -> {
            long in = key(from, group.rank(), tag);
            MemorySegment into = exactly(memory, size(new SplittableRandom(seed ^ in)));
            group.receive(from, tag, KINDS.get(tag % 6), into).await();
            check(into, in);
          });
        }
      }
      SplittableRandom order = new SplittableRandom(seed + group.rank());
      while (!receives.isEmpty()) {
        receives.remove(order.nextInt(receives.size())).run();
      }
      sends.forEach(Pending::await);
    }
  }

  private static long key(int from, int to, int message) {
    return (from * 100L + to) * 1000 + message;
  }

  private static MemorySegment exactly(Memory memory, long bytes) {
    return memory.allocate(bytes).asSlice(0, bytes);
  }

  @ParameterizedTest
  @EnumSource(Fleet.class)
  void keepsTheOrderOfATag(Fleet fleet) {
    fleet.run(
        2,
        group -> {
          try (Memory memory = new Memory()) {
            List<Pending> pending = new ArrayList<>();
            List<MemorySegment> received = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
              MemorySegment bytes = exactly(memory, 4);
              bytes.set(JAVA_INT, 0, i);
              if (group.rank() == 0) {
                pending.add(group.send(1, 7, Kind.SAMPLE, bytes));
              } else {
                received.add(bytes);
                pending.add(group.receive(0, 7, Kind.SAMPLE, bytes));
              }
            }
            pending.forEach(Pending::await);
            for (int i = 0; i < received.size(); i++) {
              assertThat(received.get(i).get(JAVA_INT, 0)).isEqualTo(i);
            }
          }
        });
  }

  @ParameterizedTest
  @EnumSource(Fleet.class)
  void largeMessagesCross(Fleet fleet) {
    fleet.run(
        3,
        group -> {
          try (Memory memory = new Memory()) {
            List<Pending> pending = new ArrayList<>();
            List<MemorySegment> received = new ArrayList<>();
            for (int peer = 0; peer < 3; peer++) {
              if (peer != group.rank()) {
                MemorySegment out = exactly(memory, 9_000_001);
                fill(out, key(group.rank(), peer, 0));
                pending.add(group.send(peer, 1, Kind.FEATURE, out));
              }
            }
            for (int peer = 0; peer < 3; peer++) {
              MemorySegment in = exactly(memory, peer == group.rank() ? 0 : 9_000_001);
              received.add(in);
              if (peer != group.rank()) {
                pending.add(group.receive(peer, 1, Kind.FEATURE, in));
              }
            }
            pending.forEach(Pending::await);
            for (int peer = 0; peer < 3; peer++) {
              check(received.get(peer), key(peer, group.rank(), 0));
            }
          }
        });
  }

  /** A worker's vector: values of very different sizes, so that the order of adding shows. */
  private float value(int rank, long i) {
    long bits = Draws.at(seed + rank, i);
    return (Draws.unitFloat(bits) - 0.5f) * (float) Math.pow(10, (int) (bits & 7));
  }

  @ParameterizedTest
  @EnumSource(Fleet.class)
  void sumsInRankOrderToTheBit(Fleet fleet) {
    for (int workers : SIZES) {
      fleet.run(
          workers,
          group -> {
            // One element, less than one each, direct, sliced, several chunks a slice.
            for (int count :
                new int[] {0, 1, 5, 4096, 4097, 40_001, workers == 2 ? 900_000 : 100}) {
              checkSum(group, count);
              checkSum(group, count);
            }
          });
    }
  }

  private void checkSum(Group group, int count) {
    try (Memory memory = new Memory()) {
      MemorySegment values = exactly(memory, 4L * count);
      for (int i = 0; i < count; i++) {
        values.setAtIndex(JAVA_FLOAT, i, value(group.rank(), i));
      }
      group.sum(Kind.GRADIENT, values);
      for (int i = 0; i < count; i++) {
        float sum = value(0, i);
        for (int r = 1; r < group.size(); r++) {
          sum += value(r, i);
        }
        if (values.getAtIndex(JAVA_FLOAT, i) != sum) {
          assertThat(values.getAtIndex(JAVA_FLOAT, i)).as("element %d", i).isEqualTo(sum);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Fleet.class)
  void sumsSeveralAtOnceAwaitedInAnyOrder(Fleet fleet) {
    fleet.run(
        3,
        group -> {
          try (Memory memory = new Memory()) {
            List<MemorySegment> vectors = new ArrayList<>();
            List<Pending> pending = new ArrayList<>();
            for (int v = 0; v < 4; v++) {
              MemorySegment vector = exactly(memory, 100_000);
              for (int i = 0; i < 25_000; i++) {
                vector.setAtIndex(JAVA_FLOAT, i, v + 10 * group.rank());
              }
              vectors.add(vector);
              pending.add(group.startSum(Kind.GRADIENT, vector));
              if (group.rank() == 1 && v == 1) {
                pending.removeFirst().await(); // Frees a plan that the others still use.
              }
            }
            (group.rank() == 2 ? pending.reversed() : pending).forEach(Pending::await);
            for (int v = 0; v < 4; v++) {
              assertThat(vectors.get(v).getAtIndex(JAVA_FLOAT, 24_999)).isEqualTo(3f * v + 30);
            }
          }
        });
  }

  @ParameterizedTest
  @EnumSource(Fleet.class)
  void gathersBroadcastsAndMeets(Fleet fleet) {
    for (int workers : SIZES) {
      fleet.run(
          workers,
          group -> {
            try (Memory memory = new Memory()) {
              long[] offsets = new long[workers + 1];
              for (int r = 0; r < workers; r++) {
                offsets[r + 1] = offsets[r] + r * 70_000L;
              }
              MemorySegment all = exactly(memory, offsets[workers]);
              int me = group.rank();
              fill(all.asSlice(offsets[me], offsets[me + 1] - offsets[me]), me);
              group.allGather(Kind.CONTROL, all, offsets);
              for (int r = 0; r < workers; r++) {
                check(all.asSlice(offsets[r], offsets[r + 1] - offsets[r]), r);
              }
              MemorySegment word = exactly(memory, 1000);
              for (int root = 0; root < workers; root++) {
                fill(word, me == root ? 77 : 0);
                group.broadcast(root, Kind.CONTROL, word);
                check(word, 77);
              }
              double[] doubles = {me, 1, Math.PI};
              group.sum(doubles);
              assertThat(doubles[0]).isEqualTo(workers * (workers - 1) / 2.0);
              assertThat(doubles[1]).isEqualTo(workers);
              long[] longs = {1L << 60, me};
              group.sum(longs);
              assertThat(longs[0]).isEqualTo(workers * (1L << 60));
              group.barrier();
            }
          });
    }
  }

  /** The first subgroup of all workers is another group than all workers. */
  @ParameterizedTest
  @EnumSource(Fleet.class)
  void theFirstSubgroupKeepsItsMessagesApart(Fleet fleet) {
    fleet.run(
        2,
        group -> {
          Group both = group.subgroup(0, 1);
          try (Memory memory = new Memory()) {
            MemorySegment few = memory.allocateFloats(16).asSlice(0, 64);
            MemorySegment many = memory.allocateFloats(64).asSlice(0, 256);
            boolean first = group.rank() == 0;
            Pending one =
                first ? group.startSum(Kind.CONTROL, few) : both.startSum(Kind.CONTROL, many);
            Pending other =
                first ? both.startSum(Kind.CONTROL, many) : group.startSum(Kind.CONTROL, few);
            one.await();
            other.await();
          }
        });
  }

  @ParameterizedTest
  @EnumSource(Fleet.class)
  void subgroupsKeepTheirMessagesApart(Fleet fleet) {
    fleet.run(
        4,
        group -> {
          // A 2 × 2 grid: rows {0,1} {2,3}, columns {0,2} {1,3}, and everyone backwards.
          int r = group.rank() / 2;
          int c = group.rank() % 2;
          Group row = group.subgroup(2 * r, 2 * r + 1);
          Group column = group.subgroup(c, 2 + c);
          Group backwards = group.subgroup(3, 2, 1, 0);
          assertThat(row.rank()).isEqualTo(c);
          assertThat(column.rank()).isEqualTo(r);
          assertThat(backwards.rank()).isEqualTo(3 - group.rank());
          try (Memory memory = new Memory()) {
            List<Pending> pending = new ArrayList<>();
            List<MemorySegment> sums = new ArrayList<>();
            for (Group g : List.of(row, column, backwards, group)) {
              MemorySegment one = exactly(memory, 4);
              one.set(JAVA_FLOAT, 0, 1 << group.rank());
              sums.add(one);
              pending.add(g.startSum(Kind.CONTROL, one));
            }
            pending.reversed().forEach(Pending::await);
            assertThat(sums.get(0).get(JAVA_FLOAT, 0)).isEqualTo(r == 0 ? 3 : 12);
            assertThat(sums.get(1).get(JAVA_FLOAT, 0)).isEqualTo(c == 0 ? 5 : 10);
            assertThat(sums.get(2).get(JAVA_FLOAT, 0)).isEqualTo(15);
            assertThat(sums.get(3).get(JAVA_FLOAT, 0)).isEqualTo(15);
          }
          assertThatThrownBy(() -> group.subgroup((group.rank() + 1) % 4))
              .isInstanceOf(IllegalArgumentException.class);
        });
  }

  @ParameterizedTest
  @EnumSource(Fleet.class)
  void sumsMatricesWithoutTheirPadding(Fleet fleet) {
    fleet.run(
        3,
        group -> {
          try (Memory memory = new Memory()) {
            Matrix a = Matrix.allocate(memory, 5, 3);
            Matrix b = Matrix.allocate(memory, 70, 40);
            a.fill(group.rank());
            b.fill(0.5f);
            MatrixSum sum = MatrixSum.of(group, memory, Kind.GRADIENT, List.of(a, b));
            for (int round = 0; round < 2; round++) {
              sum.start();
              sum.finish();
            }
            assertThat(a.get(4, 2)).isEqualTo(9);
            assertThat(b.get(69, 39)).isEqualTo(4.5f);
            assertThat(group.traffic().of(Kind.GRADIENT).bytes())
                .isEqualTo(2L * 2 * 4 * (15 + 2800));
          }
        });
  }

  /** What each adds and what comes out is rounded, the sum in between is not. */
  @ParameterizedTest
  @EnumSource(Fleet.class)
  void sumsMatricesInHalfTheBytes(Fleet fleet) {
    SplittableRandom random = TestSeed.random(this);
    int rows = 1 + random.nextInt(200);
    int cols = 1 + random.nextInt(70);
    long seed = random.nextLong();
    fleet.run(
        3,
        group -> {
          try (Memory memory = new Memory()) {
            Matrix own = Matrix.allocate(memory, rows, cols);
            float[][] sums = new float[rows][cols];
            for (int worker = 0; worker < 3; worker++) {
              SplittableRandom values = new SplittableRandom(seed + worker);
              for (int i = 0; i < rows * cols; i++) {
                float value = (float) (values.nextDouble() - 0.4);
                sums[i / cols][i % cols] += rounded(value);
                if (worker == group.rank()) {
                  own.set(i / cols, i % cols, value);
                }
              }
            }
            MatrixSum sum = MatrixSum.halved(group, memory, Kind.GRADIENT, List.of(own));
            sum.start();
            sum.finish();
            for (int i = 0; i < rows * cols; i++) {
              assertThat(own.get(i / cols, i % cols)).isEqualTo(rounded(sums[i / cols][i % cols]));
            }
            long[] sent = {group.traffic().of(Kind.GRADIENT).bytes()};
            group.sum(sent);
            // Everyone's share to the others, or twice two thirds of it from each: the same.
            long each = 2L * rows * cols;
            assertThat(sent[0]).isIn(3 * 2 * each, 3 * 4 * each / 3);
          }
        });
  }

  /** The nearest float with 8 bits before its exponent's end, ties to even. */
  private static float rounded(float value) {
    int bits = Float.floatToRawIntBits(value);
    int low = bits & 0xFFFF;
    int high = bits & 0xFFFF0000;
    boolean up = low > 0x8000 || (low == 0x8000 && (high & 0x10000) != 0);
    return Float.intBitsToFloat(up ? high + 0x10000 : high);
  }

  @ParameterizedTest
  @EnumSource(
      value = Fleet.class,
      names = {"UNIX", "TCP"})
  void countsWhatTheSocketsSaw(Fleet fleet) {
    Group[] groups = new Group[3];
    fleet.run(
        3,
        group -> {
          groups[group.rank()] = group;
          storm(group, 3);
          checkSum(group, 40_001);
        });
    // All is read by the time that a group is closed.
    for (Group from : groups) {
      for (Group to : groups) {
        if (from.rank() != to.rank()) {
          Traffic sent = from.traffic().to(to.rank());
          assertThat(sent.bytes() + sent.framingBytes())
              .isEqualTo(((SocketTransport) to.transport()).received(from.rank()));
          assertThat(sent.framingBytes()).isGreaterThanOrEqualTo(32 * sent.messages());
        }
      }
    }
  }
}
