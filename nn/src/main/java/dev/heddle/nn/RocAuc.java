package dev.heddle.nn;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.Labels;
import dev.heddle.graph.MultiLabels;
import dev.heddle.graph.RealLabels;
import dev.heddle.kernel.Matrix;
import java.util.Arrays;

/**
 * Area under the receiver operating characteristic: the probability that a positive row scores
 * above a negative one, equal scores counting half (Mann &amp; Whitney, 1947).
 *
 * <p>Two classes are scored by one column or by the second minus the first. Of several labels it is
 * the mean over those that have positive and negative rows, as the Open Graph Benchmark defines it.
 */
public record RocAuc() implements Metric {
  /** The key of a row whose score is no number; above all others. */
  private static final long UNRANKED = Long.MAX_VALUE;

  /** What a thread sorts, kept from one evaluation to the next. */
  private static final ThreadLocal<long[]> KEYS = ThreadLocal.withInitial(() -> new long[0]);

  @Override
  public String name() {
    return "roc-auc";
  }

  @Override
  public boolean higherIsBetter() {
    return true;
  }

  @Override
  public double evaluate(Matrix scores, Labels labels, int[] rows) {
    double sum = 0;
    int defined = 0;
    for (int label = 0, n = rankings(scores, labels); label < n; label++) {
      long[] keys = keys(rows.length);
      rank(scores, labels, rows, label, keys);
      double area = area(keys, rows.length);
      if (!Double.isNaN(area)) {
        sum += area;
        defined++;
      } else if (hasUnranked(keys, rows.length)) {
        return Double.NaN;
      }
    }
    return sum / defined;
  }

  /** How many rankings there are: one of two classes, one of each of several labels. */
  public int rankings(Matrix scores, Labels labels) {
    Prediction.requireFit(scores, labels);
    return switch (labels) {
      case ClassLabels classes when classes.classes() == 2 -> 1;
      case MultiLabels multi -> multi.width();
      case ClassLabels _, RealLabels _ -> throw Prediction.unsuited(this, labels);
    };
  }

  /** Writes a key per row, which together tell {@link #area} how a label was ranked. */
  public void rank(Matrix scores, Labels labels, int[] rows, int label, long[] keys) {
    for (int i = 0; i < rows.length; i++) {
      int row = rows[i];
      keys[i] =
          switch (labels) {
            case MultiLabels multi ->
                key(scores.get(row, label), multi.values().get(row, label) != 0);
            case ClassLabels classes ->
                key(
                    scores.cols() == 1
                        ? scores.get(row, 0)
                        : scores.get(row, 1) - scores.get(row, 0),
                    Prediction.known(classes, row) == 1);
            case RealLabels _ -> throw Prediction.unsuited(this, labels);
          };
    }
  }

  private static long[] keys(int count) {
    long[] keys = KEYS.get();
    if (keys.length < count) {
      keys = new long[count];
      KEYS.set(keys);
    }
    return keys;
  }

  /** A number that sorts by score, with the label in its last bit. */
  private static long key(float score, boolean positive) {
    if (Float.isNaN(score)) {
      return UNRANKED;
    }
    int bits = Float.floatToRawIntBits(score + 0f); // −0 becomes 0: they are equal scores.
    int ordered = bits ^ ((bits >> 31) & Integer.MAX_VALUE);
    return (long) ordered << 1 | (positive ? 1 : 0);
  }

  /** Whether some row's score is no number, of keys that {@link #area} has sorted. */
  public static boolean hasUnranked(long[] keys, int count) {
    return count > 0 && keys[count - 1] == UNRANKED;
  }

  /** The area under the first keys, which it sorts; NaN if all have one label or one no score. */
  public static double area(long[] keys, int count) {
    Arrays.sort(keys, 0, count);
    if (hasUnranked(keys, count)) {
      return Double.NaN;
    }
    long positives = 0;
    long negatives = 0;
    long wins = 0; // Twice the pairs in which the positive is above; once those of equal scores.
    int i = 0;
    while (i < count) {
      long score = keys[i] >> 1;
      long positivesHere = 0;
      long negativesHere = 0;
      for (; i < count && keys[i] >> 1 == score; i++) {
        positivesHere += keys[i] & 1;
        negativesHere += ~keys[i] & 1;
      }
      wins += positivesHere * (2 * negatives + negativesHere);
      positives += positivesHere;
      negatives += negativesHere;
    }
    return wins / (2.0 * positives * negatives);
  }
}
