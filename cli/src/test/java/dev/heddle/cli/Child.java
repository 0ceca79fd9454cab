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
    return start(output, command(Heddle.class, args));
  }

  /** How a main class is started as the command is. */
  static ProcessBuilder command(Class<?> main, String... args) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("--add-modules", "jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(List.of(args));
    return new ProcessBuilder(command);
  }

  static Child start(Path output, ProcessBuilder command) throws IOException {
    Process process = command.redirectErrorStream(true).redirectOutput(output.toFile()).start();
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

  /** Sends a signal by name. */
  void signal(String name) throws IOException, InterruptedException {
    String pid = Long.toString(process.pid());
    Process kill = new ProcessBuilder("kill", "-" + name, pid).start();
    if (!kill.waitFor(DEADLINE) || kill.exitValue() != 0) {
      throw new AssertionError("kill -" + name + " " + pid + " failed");
    }
  }

  String printed() throws IOException {
    return Files.readString(output);
  }
}
