package dev.heddle.bench;

import dev.heddle.comm.Group;
import dev.heddle.comm.JoinSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Pending;
import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What Heddle's sockets make of the operating system's: messages of 4 MB and round trips of 64
 * bytes, taking turns with a bare loop over blocking channels. Before that a soak, which looks for
 * leaks. Prints Markdown tables.
 *
 * <p>Options: {@code --rounds}, {@code --messages} of a round, {@code --soak} seconds.
 */
final class TransportBench {
  private static final int LARGE = 4 << 20;
  private static final int SMALL = 64;
  private static final int TRIPS = 3000;
  private static final int UNDER_WAY = 4;

  private final int rounds;
  private final int messages;

  private TransportBench(Options options) {
    rounds = options.number("rounds", 11);
    messages = options.number("messages", 64);
  }

  public static void main(String[] args) throws Exception {
    Options options = Options.parse(args);
    TransportBench bench = new TransportBench(options);
    TransportSoak.run(options.number("soak", 120));
    System.out.println();
    System.out.println("| sockets | raw GB/s | Heddle GB/s | of raw | raw µs | Heddle µs |");
    System.out.println("|---|---|---|---|---|---|");
    bench.compare(true);
    bench.compare(false);
  }

  private void compare(boolean unix) throws Exception {
    Path folder = Files.createTempDirectory("bench-");
    Path socket = folder.resolve("raw");
    try (RawSocket raw = RawSocket.through(listener(unix, socket));
        Pair pair = Pair.join(unix ? "unix:" + folder.resolve("heddle") : freePort())) {
      List<Double> rawStream = new ArrayList<>();
      List<Double> stream = new ArrayList<>();
      List<Double> ratio = new ArrayList<>();
      List<Double> rawTrip = new ArrayList<>();
      List<Double> trip = new ArrayList<>();
      for (int round = -2; round < rounds; round++) {
        double a = raw.stream(messages, LARGE, UNDER_WAY);
        double b = pair.both(g -> stream(g, messages));
        double c = raw.pingPong(TRIPS, SMALL);
        double d = pair.both(TransportBench::pingPong);
        if (round >= 0) { // The first two warm up.
          rawStream.add(a);
          stream.add(b);
          ratio.add(a / b);
          rawTrip.add(c);
          trip.add(d);
        }
      }
      double bytes = (double) messages * LARGE / 1e9;
      System.out.printf(
          Locale.ROOT,
          "| %s | %.2f | %.2f | %.0f %% | %.1f | %.1f |%n",
          unix ? "Unix" : "TCP",
          bytes / Medians.of(rawStream),
          bytes / Medians.of(stream),
          100 * Medians.of(ratio),
          1e6 * Medians.of(rawTrip) / TRIPS,
          1e6 * Medians.of(trip) / TRIPS);
    }
    Files.deleteIfExists(socket);
    Files.deleteIfExists(folder);
  }

  private static ServerSocketChannel listener(boolean unix, Path socket) throws IOException {
    return unix
        ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
            .bind(UnixDomainSocketAddress.of(socket))
        : ServerSocketChannel.open()
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  private static String freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return "127.0.0.1:" + socket.getLocalPort();
    }
  }

  /** A few messages under way at a time, from rank 0 to rank 1. */
  private static double stream(Group group, int messages) {
    try (Memory memory = new Memory()) {
      List<MemorySegment> buffers = new ArrayList<>();
      for (int i = 0; i < UNDER_WAY; i++) {
        buffers.add(memory.allocate(LARGE).fill((byte) i)); // Its pages are there.
      }
      ArrayDeque<Pending> pending = new ArrayDeque<>();
      group.barrier();
      long began = System.nanoTime();
      for (int i = 0; i < messages; i++) {
        if (pending.size() == UNDER_WAY) {
          pending.remove().await();
        }
        MemorySegment buffer = buffers.get(i % UNDER_WAY);
        pending.add(
            group.rank() == 0
                ? group.send(1, 0, Kind.HALO, buffer)
                : group.receive(0, 0, Kind.HALO, buffer));
      }
      pending.forEach(Pending::await);
      return (System.nanoTime() - began) / 1e9;
    }
  }

  private static double pingPong(Group group) {
    try (Memory memory = new Memory()) {
      MemorySegment bytes = memory.allocate(SMALL);
      group.barrier();
      long began = System.nanoTime();
      for (int i = 0; i < TRIPS; i++) {
        int peer = 1 - group.rank();
        if (group.rank() == 0) {
          group.send(peer, 0, Kind.CONTROL, bytes).await();
          group.receive(peer, 0, Kind.CONTROL, bytes).await();
        } else {
          group.receive(peer, 0, Kind.CONTROL, bytes).await();
          group.send(peer, 0, Kind.CONTROL, bytes).await();
        }
      }
      return (System.nanoTime() - began) / 1e9;
    }
  }

  /** Two workers in threads of this JVM that talk by sockets. */
  private record Pair(Group zero, Group one, ExecutorService threads) implements AutoCloseable {
    interface Side {
      double run(Group group);
    }

    static Pair join(String place) throws Exception {
      ExecutorService threads = Executors.newFixedThreadPool(2);
      Future<Group> one = threads.submit(() -> Group.join(settings(1, place)));
      return new Pair(Group.join(settings(0, place)), one.get(), threads);
    }

    private static JoinSettings settings(int rank, String place) {
      return JoinSettings.of(rank, 2, place, "bench").withUnixSockets(place.startsWith("unix:"));
    }

    /** What the receiving side measured. */
    double both(Side side) throws Exception {
      Future<Double> sender = threads.submit(() -> side.run(zero));
      double seconds = side.run(one);
      sender.get();
      return seconds;
    }

    @Override
    public void close() {
      threads.execute(zero::close);
      one.close();
      threads.close();
    }
  }
}
