package dev.heddle.cli;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How this command is started once more: on the same JVM, with its flags. */
final class OwnProcess {
  private OwnProcess() {}

  /** The words of {@code heddle} with some arguments. */
  static List<String> command(List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // The flags that kernels need, and the user's own; but descriptors and the terminal are not
    // those of this process.
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(
            flag -> !flag.startsWith("-Dheddle.stderr") && !flag.startsWith("-Dheddle.terminal"))
        .forEach(command::add);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(Heddle.class.getName());
    command.addAll(arguments);
    return command;
  }
}
