package dev.heddle.train.settings;

/**
 * How many layers nearest the seeds each worker computes for its own seeds alone, where workers
 * compute batches together: a number, or what a dry run of sampling chooses.
 *
 * @param auto whether it is or was chosen
 * @param layers or {@link #OPEN} until they are chosen
 */
public record Depth(boolean auto, int layers) {
  /** Not chosen yet. */
  private static final int OPEN = -1;

  private static final String CHOSEN = "auto=";

  /** To be chosen. */
  public static final Depth AUTO = new Depth(true, OPEN);

  public Depth {
    if (layers < 0 && !(auto && layers == OPEN)) {
      throw new IllegalArgumentException("a depth is at least 0, not " + layers);
    }
  }

  /** So many layers. */
  public static Depth of(int layers) {
    return new Depth(false, layers);
  }

  /** A depth as users write it, {@link #toString} as runs keep it. */
  public static Depth parse(String text) {
    if (text.equals("auto")) {
      return AUTO;
    }
    boolean chosen = text.startsWith(CHOSEN);
    try {
      return new Depth(chosen, Integer.parseInt(chosen ? text.substring(CHOSEN.length()) : text));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "a depth is a number of layers or auto, not '" + text + "'", e);
    }
  }

  /** What was chosen. */
  public Depth chosen(int depth) {
    return new Depth(true, depth);
  }

  /** Whether it is still to be chosen. */
  public boolean isOpen() {
    return layers == OPEN;
  }

  /** A number; {@code auto}; or {@code auto=1} where that was chosen. */
  @Override
  public String toString() {
    return isOpen() ? "auto" : (auto ? CHOSEN : "") + layers;
  }
}
