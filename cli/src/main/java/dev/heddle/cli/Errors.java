package dev.heddle.cli;

import dev.heddle.graph.GraphFormatException;
import dev.heddle.graph.Shown;
import dev.heddle.kernel.MemoryLimitException;
import dev.heddle.nn.WeightFileException;
import dev.heddle.tables.TableException;
import dev.heddle.train.run.CheckpointException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** How what went wrong is told: one line, and whose fault it was. */
final class Errors {
  /** What was asked for cannot be done: the user's to mend. */
  static final int USAGE = 2;

  static final int FAILURE = 1;

  private Errors() {}

  static int exitCode(Throwable e) {
    return switch (e) {
      case Throwable full when isDiskFull(full) -> FAILURE;
      case ParameterException _ -> USAGE;
      case InputException _ -> USAGE;
      case TableException _ -> USAGE;
      case IllegalArgumentException _ -> USAGE;
      case GraphFormatException _ -> USAGE;
      case WeightFileException _ -> USAGE;
      case CheckpointException _ -> USAGE;
      case MemoryLimitException _ -> USAGE;
      default -> FAILURE;
    };
  }

  private static boolean isDiskFull(Throwable e) {
    return e.getCause() instanceof IOException cause
        && String.valueOf(cause.getMessage()).endsWith("No space left on device");
  }

  static String line(Throwable e) {
    String text =
        switch (e) {
          case UnmatchedArgumentException unmatched -> unmatched(unmatched);
          case ParameterException parameter -> parameter(parameter);
          case MemoryLimitException limit ->
              limit.getMessage() + ": try less of --hidden, --layers or --batch, or more --memory";
          case OutOfMemoryError memory ->
              "out of memory (" + memory.getMessage() + "): set HEDDLE_JAVA_OPTS=-Xmx…, or less";
          default -> e.getMessage();
        };
    return firstLine(text, e);
  }

  private static String firstLine(@Nullable String text, Throwable e) {
    String name = e.getClass().getSimpleName();
    return text == null ? name : Shown.line(text.lines().findFirst().orElse(name));
  }

  private static String unmatched(UnmatchedArgumentException e) {
    String word = e.getUnmatched().getFirst();
    CommandLine command = e.getCommandLine();
    if (word.startsWith("-")) {
      String name = word.split("=", 2)[0];
      List<String> options = new ArrayList<>(command.getCommandSpec().optionsMap().keySet());
      options.addAll(command.getCommandSpec().negatedOptionsMap().keySet());
      return "unknown option '" + name + "'" + DidYouMean.hint(name, options);
    }
    List<String> commands = List.copyOf(command.getSubcommands().keySet());
    if (commands.isEmpty()) {
      return "'" + word + "' is one argument too many; options begin with --";
    }
    String hint = DidYouMean.hint(word, commands);
    return "there is no command '"
        + word
        + "'"
        + (hint.isEmpty() ? "; there are " + String.join(", ", commands) : hint);
  }

  private static @Nullable String parameter(ParameterException e) {
    ArgSpec argument = e.getArgSpec();
    String value = e.getValue();
    if (argument == null || value == null || argument.completionCandidates() == null) {
      return e.getMessage();
    }
    return wrongChoice(Keys.flag(argument), value, argument);
  }

  /** What to say of a value that is none of those there are. */
  static String wrongChoice(String place, String value, ArgSpec argument) {
    List<String> choices = Keys.choices(argument);
    String hint = DidYouMean.hint(value, choices);
    String end = hint.isEmpty() ? "; there are " + String.join(", ", choices) : hint;
    return place + ": there is no '" + value + "'" + end;
  }
}
