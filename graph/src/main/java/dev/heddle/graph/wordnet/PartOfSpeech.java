package dev.heddle.graph.wordnet;

import org.jspecify.annotations.Nullable;

/** The four kinds of words, each with a data file of its own; letters ascend. */
enum PartOfSpeech {
  ADJECTIVE("adj", 'a'),
  NOUN("noun", 'n'),
  ADVERB("adv", 'r'),
  VERB("verb", 'v');

  private final String suffix;
  private final char letter;

  PartOfSpeech(String suffix, char letter) {
    this.suffix = suffix;
    this.letter = letter;
  }

  /** The one of that letter, or null; satellites of adjectives ({@code s}) are adjectives. */
  static @Nullable PartOfSpeech of(String letter) {
    return switch (letter) {
      case "n" -> NOUN;
      case "v" -> VERB;
      case "a", "s" -> ADJECTIVE;
      case "r" -> ADVERB;
      default -> null;
    };
  }

  char letter() {
    return letter;
  }

  /** The name of its data file. */
  String file() {
    return "data." + suffix;
  }

  /** Whether the lexicographer file of that number is there and holds such words. */
  boolean isIn(int lexicographerFile) {
    return lexicographerFile < LexicographerFiles.NAMES.size()
        && LexicographerFiles.NAMES.get(lexicographerFile).startsWith(suffix);
  }
}
