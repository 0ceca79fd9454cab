package dev.heddle.cli;

import dev.heddle.graph.wordnet.WordNet;
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

  static OpenGraph open(String name) {
    if (!name.equals(WORDNET)) {
      throw new IllegalArgumentException("there is no built-in graph '" + name + "'");
    }
    WordNet wordNet = WordNet.read();
    return new OpenGraph(wordNet.graph(), wordNet.ids()::get, wordNet.classNames());
  }
}
