package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A run of processes, mostly three, that are joined by TCP, for tests to disturb. */
final class WorkerRun implements AutoCloseable {
  static final int WORKERS = 3;

  static final String SECRET = "a secret of tests";

  private final Path folder;
  private final String[] options;
  private final int port;
  private final Child[] children;
  private final List<Child> others = new ArrayList<>();

  /** In a folder of its own; nobody is started yet. */
  WorkerRun(Path folder, String... options) throws IOException {
    this(WORKERS, folder, options);
  }

  /** A run of so many workers. */
  WorkerRun(int workers, Path folder, String... options) throws IOException {
    children = new Child[workers];
    this.folder = Files.createDirectories(folder);
    this.options = options;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
  }

  void start(int rank) throws IOException {
    start(rank, Heddle.class);
  }

  void start(int rank, Class<?> main) throws IOException {
    children[rank] = child(rank, main, SECRET);
  }

  /** One that does not belong to the run. */
  Child stranger(int rank, String secret) throws IOException {
    Child child = child(rank, Heddle.class, secret);
    others.add(child);
    return child;
  }

  private Child child(int rank, Class<?> main, String secret) throws IOException {
    List<String> args = new ArrayList<>(List.of("worker", "--rank", "" + rank));
    args.addAll(List.of("--world", "" + children.length, "--rendezvous", "127.0.0.1:" + port));
    args.add("--no-unix-sockets");
    args.addAll(List.of(options));
    ProcessBuilder command = Child.command(main, args.toArray(String[]::new));
    command.environment().put(WorkerProcesses.SECRET, secret);
    return Child.start(folder.resolve("printed-" + rank + "-" + others.size()), command);
  }

  Child child(int rank) {
    return children[rank];
  }

  int port() {
    return port;
  }

  /** Waits for a worker to listen, for other workers, at a port; returns it. */
  int awaitPort(int rank) throws IOException, InterruptedException {
    for (int tries = 0; tries < 6000; tries++) {
      for (TcpSocket socket : TcpSocket.of(Long.toString(children[rank].process().pid()))) {
        if (socket.listens()) {
          return socket.port();
        }
      }
      Thread.sleep(10);
    }
    throw new AssertionError("rank " + rank + " does not listen: " + children[rank].printed());
  }

  /** Waits until the run's folder says that it can be resumed. */
  void awaitBeginning(Path run) throws IOException, InterruptedException {
    while (!Files.exists(run.resolve(RunFolder.CONFIG))) {
      assertThat(children[0].process().isAlive()).as(children[0].printed()).isTrue();
      Thread.sleep(5);
    }
  }

  /** Checks that a worker ended as one should whose run has failed; returns the line it left. */
  String assertFailed(int rank) throws IOException, InterruptedException {
    assertThat(children[rank].await()).as(children[rank].printed()).isEqualTo(1);
    List<String> lines =
        children[rank].printed().lines().filter(line -> line.startsWith("heddle: ")).toList();
    assertThat(lines).as(children[rank].printed()).hasSize(1);
    return lines.getFirst();
  }

  void assertEndedWell() throws IOException, InterruptedException {
    for (Child child : children) {
      assertThat(child.await()).as(child.printed()).isZero();
    }
  }

  /** Leaves nobody behind, frozen or not. */
  @Override
  public void close() {
    List<Child> all = new ArrayList<>(others);
    Stream.of(children).filter(c -> c != null).forEach(all::add);
    for (Child child : all) {
      assertThat(child.process().descendants()).isEmpty();
      child.process().destroyForcibly();
      child.process().onExit().join();
    }
  }
}
