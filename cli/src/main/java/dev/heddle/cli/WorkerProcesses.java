package dev.heddle.cli;

import dev.heddle.comm.Group;
import dev.heddle.comm.GroupException;
import dev.heddle.comm.JoinSettings;
import dev.heddle.kernel.Memory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * All workers of a run but the first, as processes of this machine: {@code heddle worker} with the
 * arguments of this one. What they print comes out here, with their rank before it.
 */
final class WorkerProcesses implements AutoCloseable {
  /** Where a worker finds the secret; arguments are there for all to see. */
  static final String SECRET = "HEDDLE_SECRET";

  private static final Duration LINGER = Duration.ofSeconds(10);

  /** What only the first worker does. */
  private static final Set<String> FIRST_ONLY = Set.of("train", "--processes", "--json");

  private final Path folder;
  private final String secret;
  private final List<Process> processes = new ArrayList<>();

  private WorkerProcesses(Path folder, String secret) {
    this.folder = folder;
    this.secret = secret;
  }

  static WorkerProcesses start(int world, List<String> arguments, PrintWriter log) {
    byte[] random = new byte[16];
    new SecureRandom().nextBytes(random);
    try {
      WorkerProcesses all =
          new WorkerProcesses(
              Files.createTempDirectory("heddle-workers"), HexFormat.of().formatHex(random));
      for (int rank = 1; rank < world; rank++) {
        all.start(rank, world, arguments, log);
      }
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start the other workers: " + e.getMessage(), e);
    }
  }

  private void start(int rank, int world, List<String> arguments, PrintWriter log)
      throws IOException {
    List<String> words = new ArrayList<>(List.of("worker"));
    arguments.stream().filter(word -> !FIRST_ONLY.contains(word)).forEach(words::add);
    words.addAll(List.of("--rank", Integer.toString(rank)));
    words.addAll(List.of("--world", Integer.toString(world), "--rendezvous", rendezvous()));
    List<String> command = OwnProcess.command(words);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put(SECRET, secret);
    Process process = builder.start();
    processes.add(process);
    process.getOutputStream().close();
    Thread.ofVirtual().start(() -> forward(process, rank, log));
  }

  private static void forward(Process process, int rank, PrintWriter log) {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        // Every JVM says of itself that it uses an incubator module.
        if (!line.startsWith("WARNING: Using incubator modules")) {
          log.println("[" + rank + "] " + line);
        }
      }
    } catch (IOException _) {
      // The process is gone; others say so.
    }
  }

  private String rendezvous() {
    return "unix:" + folder.resolve("first");
  }

  /** Joins the others as the first; when one of them ends before all have met, all do. */
  Group meet(UnaryOperator<JoinSettings> settings, Memory budget) {
    Meeting meeting = new Meeting(Thread.currentThread());
    for (int i = 0; i < processes.size(); i++) {
      int rank = i + 1;
      var _ = processes.get(i).onExit().thenAccept(ended -> meeting.misses(rank, ended));
    }
    int world = processes.size() + 1;
    try {
      return Group.join(settings.apply(JoinSettings.of(0, world, rendezvous(), secret)), budget);
    } catch (GroupException e) {
      processes.forEach(Process::destroyForcibly);
      throw meeting.explain(e);
    } finally {
      meeting.end();
    }
  }

  /** The time until all workers are connected, from when on they notice themselves who is gone. */
  private static final class Meeting {
    private final Thread host;
    private boolean over;
    private @Nullable String missing;

    Meeting(Thread host) {
      this.host = host;
    }

    synchronized void misses(int rank, Process ended) {
      if (!over && missing == null) {
        missing = "rank " + rank + " ended before it joined, with exit code " + ended.exitValue();
        host.interrupt();
      }
    }

    synchronized RuntimeException explain(GroupException e) {
      return missing == null ? e : new IllegalStateException(missing, e);
    }

    synchronized void end() {
      over = true;
      if (missing != null) {
        boolean _ = Thread.interrupted(); // It was for the meeting.
      }
    }
  }

  /** Lets the others end, and ends those who do not. */
  @Override
  public void close() {
    try {
      long deadline = System.nanoTime() + LINGER.toNanos();
      for (Process process : processes) {
        Duration left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
        if (!process.waitFor(left)) {
          process.destroyForcibly();
        }
      }
    } catch (InterruptedException e) {
      processes.forEach(Process::destroyForcibly);
      Thread.currentThread().interrupt();
    }
    try (var left = Files.list(folder)) {
      for (Path file : left.toList()) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(folder);
    } catch (IOException _) {
      // A folder in the system's place for such; nothing depends on it.
    }
  }
}
