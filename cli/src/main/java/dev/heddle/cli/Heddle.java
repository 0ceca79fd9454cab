package dev.heddle.cli;

import dev.heddle.graph.GraphFormatException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/**
 * The entry point. Exits with 0 on success, 2 on a usage or input error, 1 on a failure; errors are
 * one line on standard error, with a stack trace only after {@code --debug}.
 */
@Command(
    name = "heddle",
    mixinStandardHelpOptions = true,
    version = "heddle 0.1.0-SNAPSHOT",
    description = "Trains graph neural networks on the JVM.",
    subcommands = {
      TrainCommand.class,
      GenerateCommand.class,
      ImportCommand.class,
      InfoCommand.class
    },
    footer = {"", "Example:", "  heddle train --graph cora --model gcn --hidden 16"})
public final class Heddle {
  static final int USAGE = 2;
  static final int FAILURE = 1;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Print a stack trace with an error.")
  private boolean debug;

  private Heddle() {}

  public static void main(String[] args) {
    System.exit(run(args));
  }

  /** Runs a command line and returns its exit code. */
  static int run(String... args) {
    Heddle heddle = new Heddle();
    CommandLine line = new CommandLine(heddle);
    line.setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setParameterExceptionHandler((e, _) -> heddle.fail(e.getCommandLine(), e, USAGE));
    line.setExecutionExceptionHandler((e, command, _) -> heddle.fail(command, e, exitCode(e)));
    return line.execute(args);
  }

  /** What was asked for cannot be done: the user's to mend. Anything else is a failure of ours. */
  private static int exitCode(Exception e) {
    return e instanceof IllegalArgumentException || e instanceof GraphFormatException
        ? USAGE
        : FAILURE;
  }

  private int fail(CommandLine command, Exception e, int exitCode) {
    if (debug) {
      e.printStackTrace(command.getErr());
    }
    command.getErr().println("heddle: " + oneLine(e.getMessage(), e));
    return exitCode;
  }

  private static String oneLine(@Nullable String message, Exception e) {
    return message == null ? e.getClass().getSimpleName() : message.lines().findFirst().orElse("");
  }
}
