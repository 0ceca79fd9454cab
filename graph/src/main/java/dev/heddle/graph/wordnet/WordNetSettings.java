package dev.heddle.graph.wordnet;

/**
 * What of WordNet becomes features and how its vertices are split.
 *
 * @param words how many of the words used most in definitions are features
 * @param seed of the random split
 */
public record WordNetSettings(int words, long seed) {
  /** 2,000 words, seed 0. */
  public static final WordNetSettings DEFAULT = new WordNetSettings(2000, 0);

  public WordNetSettings {
    if (words < 1) {
      throw new IllegalArgumentException("words must be at least 1, not " + words);
    }
  }

  public WordNetSettings withWords(int value) {
    return new WordNetSettings(value, seed);
  }

  public WordNetSettings withSeed(long value) {
    return new WordNetSettings(words, value);
  }
}
