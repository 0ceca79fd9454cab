package dev.heddle.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLParser;

/**
 * A YAML file that says what flags of {@code heddle train} say: {@code --epochs 9} is epochs: 9.
 */
final class RunFile {
  private static final YAMLMapper YAML =
      YAMLMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  /** What needs no quotes. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_/][A-Za-z0-9_./-]*");

  private RunFile() {}

  /** The values by key; keys and choices are checked, numbers are left to whoever parses them. */
  static Map<String, String> read(Path file, CommandSpec train) {
    JsonNode root = parse(file);
    Map<String, OptionSpec> options = new LinkedHashMap<>();
    Keys.of(train).forEach(o -> options.put(Keys.name(o), o));
    Map<String, String> values = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> property : root.properties()) {
      String key = property.getKey();
      OptionSpec option = options.get(key);
      if (option == null) {
        String hint = DidYouMean.hint(key, List.copyOf(options.keySet()));
        throw new InputException(file + ": unknown key '" + key + "'" + hint);
      }
      JsonNode value = property.getValue();
      if (value.isNull()) {
        continue;
      }
      if (!value.isValueNode()) {
        throw new InputException(file + ": " + key + " must be a single value");
      }
      requireChoice(file, option, value.asString());
      values.put(key, value.asString());
    }
    return values;
  }

  private static JsonNode parse(Path file) {
    try {
      if (Files.isDirectory(file)) {
        throw new InputException(file + ": is a folder, not a file");
      }
      String text = Files.readString(file);
      requirePlain(file, text);
      JsonNode root = YAML.readTree(text);
      if (!root.isObject()) {
        throw new InputException(file + ": holds no 'key: value' lines");
      }
      return root;
    } catch (NoSuchFileException e) {
      throw new InputException(file + ": no such file", e);
    } catch (IOException e) {
      throw new InputException(file + ": cannot be read (" + e.getMessage() + ")", e);
    } catch (JacksonException e) {
      String line = e.getLocation() == null ? "" : ", line " + e.getLocation().getLineNr();
      String why = e.getOriginalMessage().lines().findFirst().orElse("");
      throw new InputException(file + line + ": is not valid YAML (" + why + ")", e);
    }
  }

  /** Refuses what YAML has and run files have not: it would be taken for a text of that name. */
  private static void requirePlain(Path file, String text) {
    try (YAMLParser parser = (YAMLParser) YAML.createParser(text)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        String what =
            switch (first(parser, text)) {
              case '*' -> "an alias (*name): write the value itself";
              case '&' -> "an anchor (&name): write the value alone";
              case '!' -> "a tag (!name): write the value alone";
              case '~' ->
                  parser.getString().equals("~")
                      ? "a ~: leave the key out, or write it in quotes if that is meant"
                      : null;
              default -> parser.isCurrentAlias() ? "an alias: write the value itself" : null;
            };
        if (what != null) {
          var at = parser.currentTokenLocation();
          throw new InputException(
              "%s, line %d, column %d: %s".formatted(file, at.getLineNr(), at.getColumnNr(), what));
        }
      }
    }
  }

  /** The character that the current token begins with; places are counted in code points. */
  private static char first(YAMLParser parser, String text) {
    long at = parser.currentTokenLocation().getCharOffset();
    boolean inside = at >= 0 && at < text.codePointCount(0, text.length());
    return inside ? text.charAt(text.offsetByCodePoints(0, (int) at)) : ' ';
  }

  private static void requireChoice(Path file, OptionSpec option, String value) {
    List<String> choices = Keys.choices(option);
    if (!choices.isEmpty() && choices.stream().noneMatch(value::equalsIgnoreCase)) {
      throw new InputException(Errors.wrongChoice(file + ": " + Keys.name(option), value, option));
    }
  }

  /** The file that says what a command line came to. */
  static String resolved(CommandSpec train, String head) {
    StringBuilder text = new StringBuilder(head);
    for (OptionSpec option : Keys.of(train)) {
      Object value = option.getValue();
      if (value != null && !Keys.name(option).equals("out")) {
        text.append(Keys.name(option)).append(": ").append(quoted(value)).append('\n');
      }
    }
    return text.toString();
  }

  /** A file of some values by key. */
  static String of(Map<String, String> values, String head) {
    StringBuilder text = new StringBuilder(head);
    values.forEach(
        (key, value) -> text.append(key).append(": ").append(quoted(value)).append('\n'));
    return text.toString();
  }

  /** A file of all keys with comments; those without a value are commented out. */
  static String commented(CommandSpec train, Function<OptionSpec, @Nullable Object> values) {
    StringBuilder text = new StringBuilder();
    text.append("# What `heddle train --config` reads; flags win over what stands here.\n");
    for (OptionSpec option : Keys.of(train)) {
      text.append("\n# ").append(Keys.description(option)).append('\n');
      Object value = values.apply(option);
      text.append(value == null ? "# " : "").append(Keys.name(option)).append(":");
      text.append(value == null ? "" : " " + quoted(value)).append('\n');
    }
    return text.toString();
  }

  private static String quoted(Object value) {
    String text = value.toString();
    boolean number = value instanceof Number;
    return number || PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "''") + "'";
  }
}
