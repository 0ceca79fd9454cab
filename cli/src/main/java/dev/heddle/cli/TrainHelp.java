package dev.heddle.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParseResult;

/**
 * The options of {@code heddle train}, and of {@code heddle compare}, which has them too, as help
 * shows them, in sections: with {@code --help} the most used ones, a line each, which is the first
 * of their description; with {@code --help-all} all of all. Defaults are those for what else is on
 * the command line, the graph above all.
 */
final class TrainHelp {
  private static final int WIDTH = 80;
  private static final int LEFT = 18;

  /**
   * Options that belong together.
   *
   * @param mixin the field of the command that declares them
   * @param most used of them, which {@code --help} shows
   */
  private record Section(String heading, String mixin, List<String> most) {
    boolean has(CommandSpec train, OptionSpec option) {
      CommandSpec own = Objects.requireNonNull(train.mixins().get(mixin));
      return own.findOption(option.longestName()) != null;
    }
  }

  private static final List<Section> SECTIONS =
      List.of(
          new Section("Graph", "graph", List.of("graph")),
          new Section("Model", "model", List.of("model", "layers", "hidden", "dropout")),
          new Section("Training", "training", List.of("epochs", "lr", "seed")),
          new Section("Batches", "batches", List.of("batch", "fanout")),
          new Section("Workers", "workers", List.of("workers", "processes", "link")),
          new Section(
              "Knobs",
              "knobs",
              List.of("preset", "codec", "overlap", "macrobatch", "queues", "sync")),
          new Section("This run", "run", List.of("out")));

  /** What no section has: about one call of a command. */
  private static final List<String> CALL =
      List.of("presets", "vary", "seeds", "target", "config", "resume", "json", "help-all");

  private TrainHelp() {}

  /** Makes a command's help so. */
  static void install(CommandLine train) {
    train
        .getHelpSectionMap()
        .put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, help -> options(help, asksForAll(train)));
    train.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_SYNOPSIS, TrainHelp::synopsis);
  }

  /** Shows help where all of it is asked for, which picocli knows nothing of; says whether. */
  static boolean showsAll(ParseResult parsed) {
    ParseResult command = parsed.subcommand();
    if (command == null || !command.hasMatchedOption("--help-all")) {
      return false;
    }
    CommandLine line = command.commandSpec().commandLine();
    line.usage(line.getOut());
    return true;
  }

  private static boolean asksForAll(CommandLine train) {
    return train.getParseResult().hasMatchedOption("--help-all");
  }

  private static String synopsis(Help help) {
    return help.commandSpec().qualifiedName() + " [options]\n";
  }

  private static String options(Help help, boolean all) {
    CommandSpec train = help.commandSpec();
    StringBuilder text = new StringBuilder();
    Set<OptionSpec> left = new LinkedHashSet<>(train.options());
    left.removeIf(OptionSpec::hidden);
    for (Section section : SECTIONS) {
      List<OptionSpec> own = left.stream().filter(o -> section.has(train, o)).toList();
      own.forEach(left::remove);
      text.append(all ? "\n" : "").append(section.heading).append('\n');
      append(text, train, own, section.most, all);
    }
    append(text, train, left, CALL, all);
    return text.toString();
  }

  private static void append(
      StringBuilder text,
      CommandSpec train,
      Collection<OptionSpec> options,
      List<String> most,
      boolean all) {
    for (OptionSpec option : options) {
      if (all || most.contains(Keys.name(option))) {
        text.append(line(train, option, all));
      }
    }
  }

  private static String line(CommandSpec train, OptionSpec option, boolean all) {
    String[] said = option.description();
    String text = all ? String.join(" ", said) : said[0];
    StringBuilder out = new StringBuilder();
    boolean both = all && option.negatable();
    String left = "  --" + (both ? "[no-]" : "") + Keys.name(option);
    if (left.length() > LEFT - 2) {
      out.append(left).append('\n');
      left = "";
    }
    for (String row : wrapped(withDefault(train, option, text))) {
      out.append(left).append(" ".repeat(LEFT - left.length())).append(row).append('\n');
      left = "";
    }
    return out.toString();
  }

  /** What is said of an option, with the value that it has if nobody gives one. */
  private static String withDefault(CommandSpec train, OptionSpec option, String text) {
    Object value = usual(train, option);
    String filled =
        text.replace("${COMPLETION-CANDIDATES}", String.join(", ", Keys.choices(option)));
    if (value == null || option.typeInfo().isBoolean()) {
      return filled;
    }
    return filled.contains("${DEFAULT-VALUE}")
        ? filled.replace("${DEFAULT-VALUE}", value.toString())
        : filled.contains("(default: ")
            ? filled
            : filled.replaceFirst("[.]$", "") + " (default: " + value + ").";
  }

  private static @Nullable Object usual(CommandSpec train, OptionSpec option) {
    if (train.defaultValueProvider() instanceof TrainDefaults defaults) {
      String said = defaults.defaultValue(option);
      if (said != null) {
        return said;
      }
    }
    return Keys.initial(option);
  }

  /** Words in rows that leave room for the column of options. */
  private static List<String> wrapped(String text) {
    List<String> rows = new ArrayList<>();
    StringBuilder row = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (row.length() + word.length() + 1 > WIDTH - LEFT && !row.isEmpty()) {
        rows.add(row.toString());
        row.setLength(0);
      }
      row.append(row.isEmpty() ? "" : " ").append(word);
    }
    rows.add(row.toString());
    return rows;
  }
}
