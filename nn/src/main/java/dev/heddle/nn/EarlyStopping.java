package dev.heddle.nn;

/**
 * Tells when training no longer helps.
 *
 * <p>An epoch is the best so far if its score is better than the best before it by more than {@code
 * minDelta}; the first score that is a number always is, a NaN never, and of equal scores the
 * earliest stays best. Training should stop after an epoch {@code e} once {@code e − best ≥
 * patience}: that many epochs passed without a better one. As long as there is no best epoch, the
 * one before the first counts for it. Epochs in which nothing was evaluated count as passed. A run
 * that resumes observes its best epoch anew.
 */
public final class EarlyStopping {
  private final int patience;
  private final boolean higherIsBetter;
  private final double minDelta;

  private int first = -1;
  private int last = -1;
  private int bestEpoch = -1;
  private double bestScore = Double.NaN;

  /**
   * A fresh watch over a score.
   *
   * @param patience epochs without a better one after which to stop, at least 1
   * @param higherIsBetter the score's direction
   * @param minDelta how much better a score must be, at least 0
   */
  public EarlyStopping(int patience, boolean higherIsBetter, double minDelta) {
    if (patience < 1 || !(minDelta >= 0)) {
      throw new IllegalArgumentException(
          "patience is at least 1 and minDelta at least 0, not " + patience + " and " + minDelta);
    }
    this.patience = patience;
    this.higherIsBetter = higherIsBetter;
    this.minDelta = minDelta;
  }

  /** Takes the score of an epoch, later than all before; returns whether it is the best so far. */
  public boolean observe(int epoch, double score) {
    if (epoch <= last) {
      throw new IllegalArgumentException("epoch " + epoch + " is observed after epoch " + last);
    }
    if (first < 0) {
      first = epoch;
    }
    last = epoch;
    double gain = higherIsBetter ? score - bestScore : bestScore - score;
    boolean better = bestEpoch < 0 ? !Double.isNaN(score) : gain > minDelta;
    if (better) {
      bestEpoch = epoch;
      bestScore = score;
    }
    return better;
  }

  /** Whether to stop after the last observed epoch. */
  public boolean shouldStop() {
    return first >= 0 && last - (bestEpoch < 0 ? first - 1 : bestEpoch) >= patience;
  }

  /** The best epoch; −1 if there is none. */
  public int bestEpoch() {
    return bestEpoch;
  }

  /** The best epoch's score; NaN if there is none. */
  public double bestScore() {
    return bestScore;
  }
}
