package dev.heddle.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
    return start(output, Heddle.class, Map.of(), args);
  }

  static Child start(Path output, Class<?> main, Map<String, String> environment, String... args)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("--add-modules", "jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(List.of(args));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    return new Child(builder.start(), output);
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
