package dev.heddle.cli.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One training in a process of its own: the peak of its memory is its own, methods are compiled for
 * it alone as in any other run, and what one variant does wrong does not end the others. What it
 * prints is kept in its folder.
 */
final class TrainProcess {
  /** What a run says with its exit code when it was asked to end. */
  private static final int INTERRUPTED = 130;

  /** A run that is asked to end may end its epoch and write a checkpoint first. */
  private static final Duration LINGER = Duration.ofSeconds(70);

  private static final String OUTPUT = "output.txt";

  private final Process process;
  private final Path output;

  private TrainProcess(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  static TrainProcess start(List<String> command, Path folder) {
    Path output = folder.resolve(OUTPUT);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    try {
      Process process = builder.redirectOutput(output.toFile()).start();
      process.getOutputStream().close();
      return new TrainProcess(process, output);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start a run: " + e.getMessage(), e);
    }
  }

  /**
   * Waits for the end, as long as the run takes: within it every wait has a deadline.
   *
   * @return why it failed, in a line; null if it did not
   */
  @Nullable String await() throws InterruptedException {
    int exit = process.waitFor();
    return exit == 0 ? null : reason(exit);
  }

  boolean wasInterrupted() {
    return !process.isAlive() && process.exitValue() == INTERRUPTED;
  }

  /** Asks it to end, waits until it has, and ends it and its workers if it does not. */
  void stop() {
    process.destroy();
    try {
      if (!process.waitFor(LINGER)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private String reason(int exit) {
    try {
      // Not as lines of UTF-8, which what a JVM says at its end may not be.
      String said = new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
      List<String> lines = said.lines().filter(line -> !line.isBlank()).toList();
      String ends = "ended with exit code " + exit;
      return lines.stream()
          .filter(line -> line.startsWith("heddle: "))
          .reduce((_, line) -> line)
          .map(line -> line.substring("heddle: ".length()))
          .orElse(lines.isEmpty() ? ends : ends + ": " + lines.getLast());
    } catch (IOException e) {
      throw new UncheckedIOException(output + ": cannot be read: " + e.getMessage(), e);
    }
  }
}
