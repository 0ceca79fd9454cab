package dev.heddle.graph;

/**
 * How a folder is read.
 *
 * @param directed whether arcs are taken as they are; else the reverse of each is added and equal
 *     ones become one
 * @param split which of the folder's splits: 0 is the one in text files, if there are any
 * @param rowNormalise whether feature rows are divided by their sums
 */
public record ReadOptions(boolean directed, int split, boolean rowNormalise) {
  /** Undirected, the first split, features as they are. */
  public static final ReadOptions DEFAULT = new ReadOptions(false, 0, false);

  public ReadOptions {
    if (split < 0) {
      throw new IllegalArgumentException("splits are counted from 0, not " + split);
    }
  }

  public ReadOptions withDirected(boolean value) {
    return new ReadOptions(value, split, rowNormalise);
  }

  public ReadOptions withSplit(int value) {
    return new ReadOptions(directed, value, rowNormalise);
  }

  public ReadOptions withRowNormalise(boolean value) {
    return new ReadOptions(directed, split, value);
  }
}
