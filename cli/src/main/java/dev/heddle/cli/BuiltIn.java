package dev.heddle.cli;

import dev.heddle.graph.Graph;
import dev.heddle.graph.wordnet.WordNet;
import dev.heddle.graph.wordnet.WordNetSettings;
import dev.heddle.kernel.Memory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Graphs that come with Heddle, by name, and what suits them. */
final class BuiltIn {
  static final String WORDNET = "wordnet";
  static final List<String> NAMES = List.of(WORDNET);

  /** GraphSAGE reaches 88 % of WordNet's test vertices with these; see the README. */
  static final Map<String, String> WORDNET_SETTINGS =
      Map.of(
          "model", "sage",
          "hidden", "128",
          "norm", "layer",
          "dropout", "0.5",
          "input-dropout", "0.2",
          "lr", "0.01",
          "epochs", "60",
          "evaluate-every", "2");

  private BuiltIn() {}

  /** Whether a graph that is asked for is none of the user's folders, but built in. */
  static boolean is(String graph) {
    return NAMES.contains(graph) && !Files.exists(Path.of(graph));
  }

  /** Reads a graph into memory that it closes. */
  static Graph open(String name, Memory memory) {
    if (!name.equals(WORDNET)) {
      throw new IllegalArgumentException("there is no built-in graph '" + name + "'");
    }
    return WordNet.read(WordNetSettings.DEFAULT, memory).graph();
  }
}
