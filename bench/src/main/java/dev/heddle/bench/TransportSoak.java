package dev.heddle.bench;

import dev.heddle.comm.Codec;
import dev.heddle.comm.Group;
import dev.heddle.comm.JoinSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.RowExchange;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Three workers exchange rows and sum for minutes; every ten seconds they part and meet again.
 * Prints what the process holds as it goes, which must not grow.
 */
final class TransportSoak {
  private static final int WORKERS = 3;
  private static final int ROWS = 5000;
  private static final int WIDTH = 64;
  private static final long GENERATION_NANOS = 10_000_000_000L;

  private TransportSoak() {}

  static void run(int seconds) throws Exception {
    if (seconds == 0) {
      return;
    }
    System.out.println("| s | rounds | GB sent | threads | open files | direct MB | resident MB |");
    System.out.println("|---|---|---|---|---|---|---|");
    long began = System.nanoTime();
    long end = began + seconds * 1_000_000_000L;
    long[] rounds = new long[WORKERS];
    long[] bytes = new long[WORKERS];
    // Threads are kept all the while, because the C library keeps what each of them once had.
    try (ExecutorService threads = Executors.newFixedThreadPool(WORKERS)) {
      while (System.nanoTime() < end) {
        Path folder = Files.createTempDirectory("soak-");
        String place = "unix:" + folder.resolve("r");
        List<Future<?>> team = new ArrayList<>();
        for (int rank = 0; rank < WORKERS; rank++) {
          int r = rank;
          team.add(threads.submit(() -> work(r, place, rounds, bytes)));
        }
        for (Future<?> worker : team) {
          worker.get();
        }
        Files.delete(folder);
        long sent = LongStream.of(bytes).sum();
        report((System.nanoTime() - began) / 1e9, rounds[0], sent);
      }
    }
  }

  private static void work(int rank, String place, long[] rounds, long[] bytes) {
    int[][] sent = new int[WORKERS][];
    int[][] received = new int[WORKERS][];
    int next = 0;
    for (int peer = 0; peer < WORKERS; peer++) {
      int count = peer == rank ? 0 : ROWS;
      int first = next;
      sent[peer] = IntStream.range(0, count).map(i -> ROWS - 1 - i).toArray();
      received[peer] = IntStream.range(0, count).map(i -> first + i).toArray();
      next += count;
    }
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(1);
        Group group = Group.join(JoinSettings.of(rank, WORKERS, place, "soak"))) {
      RowExchange exchange =
          RowExchange.over(group, memory, new RowExchange.Routes(sent, received), Codec.FP32);
      Matrix own = Matrix.allocate(memory, ROWS, WIDTH);
      Matrix halo = Matrix.allocate(memory, next, WIDTH);
      MemorySegment gradient = memory.allocateFloats(100_000);
      long until = System.nanoTime() + GENERATION_NANOS;
      long[] goOn = {1};
      while (goOn[0] > 0) {
        exchange.start(team, own, halo, Kind.HALO);
        exchange.finish(team);
        exchange.startBack(team, halo, own, Kind.HALO);
        exchange.finishBack(team);
        own.fill(1);
        group.sum(Kind.GRADIENT, gradient);
        goOn[0] = rank == 0 && System.nanoTime() < until ? 1 : 0;
        group.sum(goOn);
        rounds[rank]++;
      }
      bytes[rank] += group.traffic().bytes();
    }
  }

  private static void report(double seconds, long rounds, long bytes) throws IOException {
    System.gc(); // What is only garbage is no leak.
    long direct =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .mapToLong(BufferPoolMXBean::getMemoryUsed)
            .sum();
    System.out.printf(
        Locale.ROOT,
        "| %.0f | %d | %.1f | %d | %d | %.2f | %.0f |%n",
        seconds,
        rounds,
        bytes / 1e9,
        ManagementFactory.getThreadMXBean().getThreadCount(),
        openFiles(),
        direct / 1e6,
        residentBytes() / 1e6);
  }

  private static long openFiles() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    }
  }

  private static double residentBytes() throws IOException {
    String pages = Files.readString(Path.of("/proc/self/statm")).split(" ", -1)[1];
    return Double.parseDouble(pages) * 4096;
  }
}
