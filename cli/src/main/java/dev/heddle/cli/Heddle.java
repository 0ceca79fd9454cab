package dev.heddle.cli;

import dev.heddle.kernel.StandardError;
import dev.heddle.train.run.Version;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/**
 * The entry point. Exits with 0 on success, 2 on a usage or input error, 1 on a failure; errors are
 * one line on standard error, with a stack trace only after {@code --debug}.
 */
@Command(
    name = "heddle",
    mixinStandardHelpOptions = true,
    versionProvider = Heddle.OwnVersion.class,
    description = "Trains graph neural networks on the JVM.",
    subcommands = {
      TrainCommand.class,
      CompareCommand.class,
      RunsCommand.class,
      PlotCommand.class,
      GenerateCommand.class,
      ImportCommand.class,
      InfoCommand.class,
      PartitionCommand.class,
      WorkerCommand.class,
      EvaluateCommand.class,
      PredictCommand.class,
      UiCommand.class,
      EmbedCommand.class,
      ExportCommand.class,
      InitCommand.class,
      CompletionCommand.class
    },
    footer = {
      "",
      "Examples:",
      "  heddle train                          a model for WordNet, in about a minute",
      "  heddle train --graph FOLDER           a model for your graph",
      "  heddle COMMAND --help                 all options of a command"
    })
public final class Heddle {
  @SuppressWarnings("UnusedVariable") // Looked for in the arguments: errors may precede parsing.
  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Print a stack trace with an error.")
  private boolean debug;

  private Heddle() {}

  /** The version as {@code --version} prints it. */
  static final class OwnVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"heddle " + Version.CURRENT};
    }
  }

  public static void main(String[] args) {
    int stderr = Integer.getInteger("heddle.stderr", -1);
    if (stderr >= 0) {
      StandardError.become(stderr);
    }
    System.exit(run(args));
  }

  static CommandLine commandLine() {
    CommandLine line = new CommandLine(new Heddle());
    line.setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
    line.setCaseInsensitiveEnumValuesAllowed(true);
    TrainHelp.install(trainCommand(line));
    TrainHelp.install(Objects.requireNonNull(line.getSubcommands().get("compare")));
    return line;
  }

  /** The options of {@code heddle train}, which are the keys of run files. */
  static CommandLine trainCommand(CommandLine root) {
    return Objects.requireNonNull(root.getSubcommands().get("train"));
  }

  /** Runs a command line and returns its exit code. */
  static int run(String... args) {
    CommandLine line = commandLine();
    boolean debug = List.of(args).contains("--debug");
    line.setParameterExceptionHandler((e, _) -> fail(line, e, debug));
    line.setExecutionStrategy(
        parsed -> TrainHelp.showsAll(parsed) ? 0 : new CommandLine.RunLast().execute(parsed));
    line.setExecutionExceptionHandler((e, _, _) -> fail(line, e, debug));
    try {
      if (args.length == 0) {
        line.usage(line.getErr());
        return Errors.USAGE;
      }
      if (args[0].equals("train") || args[0].equals("worker")) {
        CommandLine command = Objects.requireNonNull(line.getSubcommands().get(args[0]));
        TrainDefaults defaults =
            TrainDefaults.of(trainCommand(line).getCommandSpec(), List.of(args));
        command.setDefaultValueProvider(defaults);
      }
      return line.execute(args);
    } catch (RuntimeException | OutOfMemoryError e) {
      return fail(line, e, debug);
    }
  }

  private static int fail(CommandLine line, Throwable e, boolean debug) {
    if (debug) {
      e.printStackTrace(line.getErr());
    }
    line.getErr().println("heddle: " + Errors.line(e));
    return Errors.exitCode(e);
  }
}
