package dev.heddle.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/**
 * What options have that are not given as flags: what the run file says, else what a preset needs
 * to run at all, else what suits a built-in graph, else what the options themselves say.
 */
final class TrainDefaults implements IDefaultValueProvider {
  private final Map<String, String> file;
  private final Map<String, String> preset;
  private final Map<String, String> graph;

  private TrainDefaults(
      Map<String, String> file, Map<String, String> preset, Map<String, String> graph) {
    this.file = file;
    this.preset = preset;
    this.graph = graph;
  }

  /**
   * Looks at {@code --config}, {@code --resume}, {@code --graph} and {@code --preset} before all
   * else is parsed.
   */
  static TrainDefaults of(CommandSpec train, List<String> args) {
    Map<String, String> file = Map.of();
    String resume = given(args, "--resume");
    String config = given(args, "--config");
    if (resume != null && config != null) {
      throw new InputException("--resume goes on as its folder says; --config cannot be given too");
    }
    if (resume != null) {
      file = RunFile.read(runFile(Path.of(resume)), train);
    } else if (config != null) {
      file = RunFile.read(Path.of(config), train);
    }
    Map<String, String> said = new HashMap<>(file);
    for (String key : List.of("graph", "preset", "workers", "batch", "split", "world")) {
      String flag = given(args, "--" + key);
      if (flag != null) {
        said.put(key, flag);
      }
    }
    if (!args.isEmpty() && args.getFirst().equals("worker")) {
      // How many there are may be said by the environment; it is no option of the run.
      said.putIfAbsent("world", "");
    }
    Map<String, String> needed = PresetNeeds.of(said);
    said.putAll(needed);
    Map<String, String> suits = new HashMap<>(suiting(said.get("graph")));
    if (!"1".equals(said.getOrDefault("world", said.getOrDefault("workers", "1")))) {
      // How often several evaluate follows from what they send.
      suits.remove("evaluate-every");
    }
    return new TrainDefaults(file, needed, suits);
  }

  /** What a preset needs to run and nobody said. */
  Map<String, String> filledIn() {
    return preset;
  }

  private static Path runFile(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new InputException(folder + ": no such folder of a run");
    }
    if (!Files.exists(folder.resolve(RunFolder.CONFIG))) {
      throw new InputException(folder + ": is not the folder of a run, it has no run.yaml");
    }
    return folder.resolve(RunFolder.CONFIG);
  }

  /** What suits a graph if nothing else is said. */
  static Map<String, String> suiting(@Nullable String graph) {
    return BuiltIn.is(graph == null ? BuiltIn.WORDNET : graph)
        ? BuiltIn.WORDNET_SETTINGS
        : Map.of();
  }

  private static @Nullable String given(List<String> args, String option) {
    for (int i = 0; i < args.size(); i++) {
      if (args.get(i).startsWith(option + "=")) {
        return args.get(i).substring(option.length() + 1);
      }
      if (args.get(i).equals(option) && i + 1 < args.size()) {
        return args.get(i + 1);
      }
    }
    return null;
  }

  /** What an option has if no file says otherwise; null for what it says itself. */
  @Nullable String withoutFile(String key) {
    String needed = preset.get(key);
    return needed != null ? needed : graph.get(key);
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    String key = Keys.name(argument);
    String said = file.get(key);
    return said != null ? said : withoutFile(key);
  }
}
