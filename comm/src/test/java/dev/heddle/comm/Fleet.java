package dev.heddle.comm;

import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** The transports, as places to run workers in tests. */
enum Fleet {
  THREADS,
  /** Workers are threads here too, but talk as processes do. */
  UNIX,
  TCP,
  /** TCP with TLS over it. */
  TLS;

  /** No test waits longer than this for anything. */
  static final GroupSettings SETTINGS =
      GroupSettings.DEFAULT
          .withSilence(Duration.ofSeconds(10))
          .withPatience(Duration.ofSeconds(20));

  void run(int size, LocalWorkers.Body body) {
    run(size, SETTINGS, body);
  }

  void run(int size, GroupSettings settings, LocalWorkers.Body body) {
    run(size, settings, new Memory(), body);
  }

  /** Runs workers whose groups all take their memory from one budget. */
  void run(int size, GroupSettings settings, Memory budget, LocalWorkers.Body body) {
    if (this == THREADS) {
      LocalWorkers.run(size, settings, budget, body);
      return;
    }
    try {
      Path folder = Files.createTempDirectory("fleet-");
      String place = this == UNIX ? "unix:" + folder.resolve("r") : "127.0.0.1:" + freePort();
      try {
        join(size, r -> encrypted(joining(r, size, place).withGroup(settings)), budget, body);
      } finally {
        Files.delete(folder);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private JoinSettings encrypted(JoinSettings settings) {
    return this == TLS ? settings.withTls(Certificates.shared()) : settings;
  }

  static JoinSettings joining(int rank, int size, String place) {
    return JoinSettings.of(rank, size, place, "a secret of tests")
        .withUnixSockets(place.startsWith("unix:"))
        .within(Duration.ofSeconds(20))
        .withGroup(SETTINGS);
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Runs every rank in a thread; throws the first thing that any of them threw. */
  static void join(int size, IntFunction<JoinSettings> settings, LocalWorkers.Body body) {
    join(size, settings, new Memory(), body);
  }

  private static void join(
      int size, IntFunction<JoinSettings> settings, Memory budget, LocalWorkers.Body body) {
    List<Thread> threads = new ArrayList<>();
    List<GroupException> failures = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      JoinSettings mine = settings.apply(rank);
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .name("rank-" + rank)
              .start(() -> work(mine, budget, body, failures)));
    }
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
  }

  private static void work(
      JoinSettings settings, Memory budget, LocalWorkers.Body body, List<GroupException> failures) {
    GroupException failure = null;
    try (Group group = Group.join(settings, budget)) {
      try {
        body.run(group);
      } catch (Throwable e) {
        group.fail(e);
      }
      failure = group.failure();
    } catch (GroupException e) {
      failure = e;
    }
    if (failure != null) {
      synchronized (failures) {
        failures.add(failure);
      }
    }
  }
}
