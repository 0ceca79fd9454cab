package dev.heddle.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The {@code heddle} command of a checkout, which may be another one than that of this benchmark:
 * what it is asked and what it leaves are words and files, never classes.
 */
record HeddleCommand(Path checkout) {
  private static final Duration LONGEST = Duration.ofMinutes(10);

  HeddleCommand {
    checkout = checkout.toAbsolutePath().normalize();
  }

  /**
   * How a command came to its end.
   *
   * @param exit 0 if it did what it was asked, −1 if it did not end in time
   * @param lastError its last line on standard error
   */
  record Ended(int exit, String lastError) {}

  /** Builds the checkout, where that is to be done, and insists that it answers. */
  void prepare() throws IOException {
    Ended ended = run(List.of("--version"), LONGEST);
    if (ended.exit() != 0) {
      throw new IOException(checkout + ": heddle --version failed: " + ended.lastError());
    }
  }

  /** Runs the command and waits for it, so long and no longer; nothing of it stays alive. */
  Ended run(List<String> arguments, Duration patience) throws IOException {
    List<String> command = new ArrayList<>(List.of(checkout.resolve("heddle").toString()));
    command.addAll(arguments);
    Path errors = Files.createTempFile("heddle-bench-", ".err");
    ProcessBuilder builder = new ProcessBuilder(command).directory(checkout.toFile());
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(errors.toFile());
    try {
      return ended(builder.start(), errors, patience);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted: " + String.join(" ", command), e);
    } finally {
      Files.delete(errors);
    }
  }

  private static Ended ended(Process process, Path errors, Duration patience)
      throws IOException, InterruptedException {
    try {
      if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        return new Ended(-1, "did not end within " + patience.toSeconds() + " s");
      }
      return new Ended(process.exitValue(), lastLine(errors));
    } finally {
      // Workers that are processes would outlive one that hangs.
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private static String lastLine(Path file) throws IOException {
    String said = new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip();
    return said.isEmpty() ? "" : said.lines().toList().getLast().strip();
  }
}
