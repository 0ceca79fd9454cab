package dev.heddle.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The options of {@code heddle train} as keys of a run file. The options' declarations are the only
 * place that says what keys there are: flags, YAML, its schema and the file that {@code heddle
 * init} writes all come from them.
 */
final class Keys {
  /** About one call of the command and not about the run. */
  private static final Set<String> NOT_KEYS =
      Set.of(
          "help",
          "help-all",
          "version",
          "debug",
          "config",
          "resume",
          "json",
          "trace",
          "ui",
          "ui-port",
          "dry-run",
          "rank",
          "world",
          "rendezvous",
          "prepared");

  private Keys() {}

  /** The options that are keys, in the order they were declared. */
  static List<OptionSpec> of(CommandSpec train) {
    return train.options().stream().filter(o -> !NOT_KEYS.contains(name(o))).toList();
  }

  /** {@code weight-decay} of {@code --weight-decay}. */
  static String name(ArgSpec argument) {
    return argument instanceof OptionSpec option ? option.longestName().substring(2) : "";
  }

  static String flag(ArgSpec argument) {
    return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
  }

  /** The values there are; none if any value of its type will do. */
  static List<String> choices(ArgSpec argument) {
    List<String> choices = new ArrayList<>();
    Iterable<String> candidates = argument.completionCandidates();
    if (candidates != null) {
      candidates.forEach(choices::add);
    }
    return choices;
  }

  /** Its description without what only makes sense on a screen. */
  static String description(OptionSpec option) {
    return String.join(" ", option.description())
        .replace("${COMPLETION-CANDIDATES}", String.join(", ", choices(option)))
        .replaceAll(" \\(default: [^)]*\\)", "");
  }

  /** Its value if nobody says otherwise; null if it has none. */
  static @Nullable Object initial(OptionSpec option) {
    return option.defaultValue() != null ? option.defaultValue() : option.initialValue();
  }
}
