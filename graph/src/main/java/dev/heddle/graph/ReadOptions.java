package dev.heddle.graph;

import dev.heddle.kernel.Memory;
import org.jspecify.annotations.Nullable;

/**
 * How a graph is opened.
 *
 * @param directed whether a folder's arcs are taken as they are; else the reverse of each is added
 *     and equal ones become one. A store's arcs always are what they are
 * @param split which of the splits: 0 is a folder's one in text files, if there are any
 * @param rowNormalise whether feature rows are divided by their sums
 * @param place where a store's features are; those that are normalised are in memory
 * @param budget memory in which what is taken for it counts; null for as much as the system has
 */
public record ReadOptions(
    boolean directed,
    int split,
    boolean rowNormalise,
    FeaturePlace place,
    @Nullable Memory budget) {
  /** Undirected, the first split, features as they are and where they are. */
  public static final ReadOptions DEFAULT = new ReadOptions(false, 0, false);

  public ReadOptions {
    if (split < 0) {
      throw new IllegalArgumentException("splits are counted from 0, not " + split);
    }
  }

  /** Features where they are. */
  public ReadOptions(boolean directed, int split, boolean rowNormalise) {
    this(directed, split, rowNormalise, FeaturePlace.MAPPED, null);
  }

  public ReadOptions withDirected(boolean value) {
    return new ReadOptions(value, split, rowNormalise, place, budget);
  }

  public ReadOptions withSplit(int value) {
    return new ReadOptions(directed, value, rowNormalise, place, budget);
  }

  public ReadOptions withRowNormalise(boolean value) {
    return new ReadOptions(directed, split, value, place, budget);
  }

  public ReadOptions withPlace(FeaturePlace value) {
    return new ReadOptions(directed, split, rowNormalise, value, budget);
  }

  /** Opens a graph whose memory counts in a larger budget; what that does not allow is refused. */
  public ReadOptions within(Memory value) {
    return new ReadOptions(directed, split, rowNormalise, place, value);
  }

  /** What these options do to feature rows. */
  FeatureScaling scaling() {
    return rowNormalise ? FeatureScaling.ROW_SUM : FeatureScaling.NONE;
  }

  /** Memory for a graph, which closes it. */
  public Memory newMemory() {
    return budget == null ? new Memory() : budget.child();
  }
}
