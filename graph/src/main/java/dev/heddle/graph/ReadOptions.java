package dev.heddle.graph;

/**
 * How a graph is opened.
 *
 * @param directed whether a folder's arcs are taken as they are; else the reverse of each is added
 *     and equal ones become one. A store's arcs always are what they are
 * @param split which of the splits: 0 is a folder's one in text files, if there are any
 * @param rowNormalise whether feature rows are divided by their sums
 * @param place where a store's features are; those that are normalised are in memory
 * @param memory bytes that may be taken for it; what needs more is refused
 */
public record ReadOptions(
    boolean directed, int split, boolean rowNormalise, FeaturePlace place, long memory) {
  /** Undirected, the first split, features as they are and where they are. */
  public static final ReadOptions DEFAULT = new ReadOptions(false, 0, false);

  public ReadOptions {
    if (split < 0) {
      throw new IllegalArgumentException("splits are counted from 0, not " + split);
    }
  }

  /** Features where they are. */
  public ReadOptions(boolean directed, int split, boolean rowNormalise) {
    this(directed, split, rowNormalise, FeaturePlace.MAPPED, Long.MAX_VALUE);
  }

  public ReadOptions withDirected(boolean value) {
    return new ReadOptions(value, split, rowNormalise, place, memory);
  }

  public ReadOptions withSplit(int value) {
    return new ReadOptions(directed, value, rowNormalise, place, memory);
  }

  public ReadOptions withRowNormalise(boolean value) {
    return new ReadOptions(directed, split, value, place, memory);
  }

  public ReadOptions withPlace(FeaturePlace value) {
    return new ReadOptions(directed, split, rowNormalise, value, memory);
  }

  public ReadOptions withMemory(long value) {
    return new ReadOptions(directed, split, rowNormalise, place, value);
  }
}
