package dev.heddle.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The anonymous memory of processes as Linux counts what of it is resident: heap, stacks, what
 * compilers take, and all that is allocated off the heap, but not files that are mapped.
 */
final class AnonymousMemory {
  private static final Duration DEADLINE = Duration.ofMinutes(5);
  private static final long MILLIS_BETWEEN = 2;

  /** Looks after which a process may have started others. */
  private static final int LOOKS_PER_FAMILY = 16;

  private AnonymousMemory() {}

  /** Whether this system tells it. */
  static boolean isTold() {
    return bytes(ProcessHandle.current().pid()) > 0;
  }

  /** The most that a process and those that it starts have at a time, until it ends. */
  static long most(Process process) throws InterruptedException {
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    List<ProcessHandle> family = List.of();
    long most = 0;
    try {
      for (long look = 0; process.isAlive(); look++) {
        if (System.nanoTime() > deadline) {
          throw new AssertionError("the command did not end within " + DEADLINE);
        }
        if (look % LOOKS_PER_FAMILY == 0) {
          family = family(process);
        }
        long now = family.stream().mapToLong(one -> bytes(one.pid())).sum();
        most = Math.max(most, now);
        Thread.sleep(MILLIS_BETWEEN);
      }
    } finally {
      if (process.isAlive()) {
        family(process).forEach(ProcessHandle::destroyForcibly);
      }
    }
    return most;
  }

  private static List<ProcessHandle> family(Process process) {
    return Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
  }

  /** Of one process now; 0 where it is gone or the system does not say. */
  private static long bytes(long pid) {
    try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
      return lines
          .filter(line -> line.startsWith("RssAnon:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
          .findFirst()
          .orElse(0);
    } catch (IOException | UncheckedIOException _) {
      return 0;
    }
  }
}
