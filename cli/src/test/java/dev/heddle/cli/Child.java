package dev.heddle.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The command in a JVM of its own. */
final class Child {
  private static final Duration DEADLINE = Duration.ofMinutes(2);

  private final Process process;
  private final Path output;

  private Child(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  static Child start(Path output, String... args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("--add-modules", "jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add("dev.heddle.cli.Heddle");
    command.addAll(List.of(args));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    return new Child(process, output);
  }

  Process process() {
    return process;
  }

  /** Waits for the end; returns the exit code. */
  int await() throws InterruptedException {
    if (!process.waitFor(DEADLINE)) {
      process.destroyForcibly();
      throw new AssertionError("the command did not end within " + DEADLINE);
    }
    return process.exitValue();
  }

  String printed() throws IOException {
    return Files.readString(output);
  }
}
