package dev.heddle.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * What {@code --vary lr=0.01,0.003} says: options of {@code heddle train} and the values that they
 * take in turn. Values that have commas themselves, as fan-outs do, have semicolons between them.
 */
final class VariedOptions {
  /** What a comparison sets itself, and why not to vary it. */
  private static final Map<String, String> OWN =
      Map.of(
          "out", "each run has a folder beneath --out",
          "save", "each run keeps its model in its folder",
          "seed", "how many there are is said by --seeds");

  private final Map<String, OptionSpec> options = new LinkedHashMap<>();
  private final Map<String, List<String>> values = new LinkedHashMap<>();

  /**
   * Nothing varies yet.
   *
   * @param train the command whose options may vary
   */
  VariedOptions(CommandSpec train) {
    Keys.of(train).forEach(option -> options.put(Keys.name(option), option));
  }

  /** Adds what one {@code --vary} says. */
  void add(String said) {
    int equals = said.indexOf('=');
    if (equals < 1) {
      throw new InputException("--vary wants an option and values, as in lr=0.01,0.003: " + said);
    }
    String key = said.substring(0, equals).replaceFirst("^--", "");
    String all = said.substring(equals + 1);
    add(key, Arrays.asList(all.split(all.contains(";") ? ";" : ",", -1)));
  }

  /** Adds an option and its values. */
  void add(String key, List<String> wanted) {
    OptionSpec option = options.get(key);
    if (option == null) {
      String hint = DidYouMean.hint(key, List.copyOf(options.keySet()));
      throw new InputException("--vary: there is no option '" + key + "'" + hint);
    }
    if (OWN.containsKey(key)) {
      throw new InputException("--vary " + key + ": " + OWN.get(key));
    }
    List<String> stripped = wanted.stream().map(String::strip).toList();
    if (stripped.contains("")) {
      throw new InputException("--vary " + key + ": a value is empty");
    }
    if (Set.copyOf(stripped).size() < stripped.size()) {
      throw new InputException("--vary " + key + ": a value is there twice");
    }
    if (values.putIfAbsent(key, stripped) != null) {
      throw new InputException("--vary " + key + ": is said twice");
    }
  }

  boolean isEmpty() {
    return values.isEmpty();
  }

  boolean has(String key) {
    return values.containsKey(key);
  }

  List<String> values(String key) {
    return values.getOrDefault(key, List.of());
  }

  /** All combinations, the last option varying fastest. */
  List<Map<String, String>> combinations() {
    List<Map<String, String>> all = List.of(Map.of());
    for (Map.Entry<String, List<String>> option : values.entrySet()) {
      List<Map<String, String>> more = new ArrayList<>();
      for (Map<String, String> some : all) {
        for (String value : option.getValue()) {
          Map<String, String> one = new LinkedHashMap<>(some);
          one.put(option.getKey(), value);
          more.add(one);
        }
      }
      all = more;
    }
    return all;
  }
}
