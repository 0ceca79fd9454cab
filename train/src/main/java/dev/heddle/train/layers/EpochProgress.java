package dev.heddle.train.layers;

import java.util.Arrays;

/**
 * How far an epoch has come at a worker: which chunks have gone forward, so that their rows are
 * those of this epoch, and which have gone back; and of which epoch the rows in history are.
 */
final class EpochProgress {
  private final boolean[] forward;
  private final boolean[] back;
  private final int oldest;
  private boolean exact;
  private int epoch;
  private int history = NEVER;

  /** There is no history yet. */
  private static final int NEVER = Integer.MIN_VALUE;

  /**
   * Progress before the first epoch.
   *
   * @param oldest epochs that history may lie back
   */
  EpochProgress(int chunks, int oldest) {
    forward = new boolean[chunks];
    back = new boolean[chunks];
    this.oldest = oldest;
  }

  void beginEpoch(int next) {
    epoch = next;
    exact = false;
    Arrays.fill(forward, false);
    Arrays.fill(back, false);
  }

  /** Begins a forward in which all rows are those of this very forward. */
  void beginExact() {
    exact = true;
  }

  /** Begins to go forward once more in the same epoch. */
  void beginAgain() {
    Arrays.fill(forward, false);
  }

  void goForward(int chunk) {
    forward[chunk] = true;
  }

  /** Says that a chunk's gradients by the rows of other chunks are those of this epoch. */
  void goBack(int chunk) {
    back[chunk] = true;
  }

  boolean wentBack(int chunk) {
    return back[chunk];
  }

  /** Whether history has rows. */
  boolean hasHistory() {
    return history != NEVER;
  }

  /** Says that history now has the rows of an epoch. */
  void renewed(int from) {
    history = from;
  }

  /** Says that the rows of history are of no use. */
  void forgetHistory() {
    history = NEVER;
  }

  /** The epoch that history's rows are of. */
  int historyEpoch() {
    return history;
  }

  /**
   * Whether a chunk's rows are those of this forward; if not, they are to be read from history,
   * which may not be too old.
   */
  boolean isFresh(int chunk) {
    if (exact || forward[chunk]) {
      return true;
    }
    int age = epoch - history;
    if (history == NEVER || age < 0 || age > oldest) {
      throw new IllegalStateException(
          "rows of chunk " + chunk + " in epoch " + epoch + " would be those of epoch " + history);
    }
    return false;
  }
}
