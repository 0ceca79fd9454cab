package dev.heddle.train.run;

import dev.heddle.nn.EarlyStopping;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The epochs of a run so far and what follows from them: which was best, and whether to stop. A run
 * that resumes adds the old epochs anew and is where it was.
 */
public final class History {
  /** Longs that an epoch takes in a checkpoint. */
  private static final int FIELDS = 6;

  private final EarlyStopping stopping;
  private final List<EpochReport> epochs = new ArrayList<>();
  private int bestEpoch;
  private Scores best = new Scores(Double.NaN, Double.NaN, Double.NaN);

  public History(int patience, boolean higherIsBetter) {
    stopping = new EarlyStopping(patience == 0 ? Integer.MAX_VALUE : patience, higherIsBetter, 0);
  }

  /**
   * Adds the next epoch and returns whether it is the best so far: by its validation score, or
   * because there are no validation vertices and it is the last.
   */
  public boolean add(EpochReport report) {
    epochs.add(report);
    Scores now = report.scores();
    if (now == null
        || !(Double.isNaN(now.valid()) || stopping.observe(report.epoch(), now.valid()))) {
      return false;
    }
    best = now;
    bestEpoch = report.epoch();
    return true;
  }

  /** The best epoch, 0 if there is none. */
  public int bestEpoch() {
    return bestEpoch;
  }

  public int epochs() {
    return epochs.size();
  }

  public boolean shouldStop() {
    return stopping.shouldStop();
  }

  public List<EpochReport> reports() {
    return Collections.unmodifiableList(epochs);
  }

  public TrainResult result() {
    return new TrainResult(bestEpoch, best, epochs);
  }

  long[] toLongs() {
    long[] values = new long[epochs.size() * FIELDS];
    for (int i = 0; i < epochs.size(); i++) {
      EpochReport e = epochs.get(i);
      Scores scores = e.scores();
      int at = i * FIELDS;
      values[at] = Double.doubleToRawLongBits(e.loss());
      values[at + 1] = Double.doubleToRawLongBits(e.seconds());
      values[at + 2] = scores == null ? 0 : 1;
      if (scores != null) {
        values[at + 3] = Double.doubleToRawLongBits(scores.train());
        values[at + 4] = Double.doubleToRawLongBits(scores.valid());
        values[at + 5] = Double.doubleToRawLongBits(scores.test());
      }
    }
    return values;
  }

  /** How many epochs some longs of a checkpoint tell of. */
  static int epochs(long[] values) {
    return values.length / FIELDS;
  }

  /** What is wrong with the longs of a checkpoint; null if nothing is. */
  static @Nullable String fault(long[] values) {
    if (values.length == 0 || values.length % FIELDS != 0) {
      return "holds a history of " + values.length + " numbers, not " + FIELDS + " for each epoch";
    }
    for (int at = 0; at < values.length; at += FIELDS) {
      double seconds = Double.longBitsToDouble(values[at + 1]);
      if (!Double.isFinite(Double.longBitsToDouble(values[at]))
          || !(seconds >= 0 && seconds < Double.POSITIVE_INFINITY)
          || (values[at + 2] & ~1L) != 0
          || infinite(values, at + 3)) {
        return "holds a history in which epoch "
            + (at / FIELDS + 1)
            + " has no loss, time or score";
      }
    }
    return null;
  }

  /** Scores may be NaN, of an empty part of the split. */
  private static boolean infinite(long[] values, int at) {
    return Double.isInfinite(Double.longBitsToDouble(values[at]))
        || Double.isInfinite(Double.longBitsToDouble(values[at + 1]))
        || Double.isInfinite(Double.longBitsToDouble(values[at + 2]));
  }

  void addAll(long[] values) {
    for (int at = 0; at < values.length; at += FIELDS) {
      Scores scores =
          values[at + 2] == 0
              ? null
              : new Scores(
                  Double.longBitsToDouble(values[at + 3]),
                  Double.longBitsToDouble(values[at + 4]),
                  Double.longBitsToDouble(values[at + 5]));
      add(
          new EpochReport(
              epochs.size() + 1,
              Double.longBitsToDouble(values[at]),
              Double.longBitsToDouble(values[at + 1]),
              scores));
    }
  }
}
