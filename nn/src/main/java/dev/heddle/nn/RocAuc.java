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
    Prediction.requireFit(scores, labels);
    return switch (labels) {
      case ClassLabels classes when classes.classes() == 2 -> ofClasses(scores, classes, rows);
      case MultiLabels multi -> ofLabels(scores, multi.values(), rows);
      case ClassLabels _, RealLabels _ -> throw Prediction.unsuited(this, labels);
    };
  }

  private static double ofClasses(Matrix scores, ClassLabels labels, int[] rows) {
    long[] keys = keys(rows.length);
    for (int i = 0; i < rows.length; i++) {
      int row = rows[i];
      float score =
          scores.cols() == 1 ? scores.get(row, 0) : scores.get(row, 1) - scores.get(row, 0);
      if (Float.isNaN(score)) {
        return Double.NaN;
      }
      keys[i] = key(score, Prediction.known(labels, row) == 1);
    }
    return area(keys, rows.length);
  }

  private static double ofLabels(Matrix scores, Matrix labels, int[] rows) {
    long[] keys = keys(rows.length);
    double sum = 0;
    int defined = 0;
    for (int label = 0; label < labels.cols(); label++) {
      for (int i = 0; i < rows.length; i++) {
        float score = scores.get(rows[i], label);
        if (Float.isNaN(score)) {
          return Double.NaN;
        }
        keys[i] = key(score, labels.get(rows[i], label) != 0);
      }
      double area = area(keys, rows.length);
      if (!Double.isNaN(area)) {
        sum += area;
        defined++;
      }
    }
    return sum / defined;
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
    int bits = Float.floatToRawIntBits(score + 0f); // −0 becomes 0: they are equal scores.
    int ordered = bits ^ ((bits >> 31) & Integer.MAX_VALUE);
    return (long) ordered << 1 | (positive ? 1 : 0);
  }

  /** Sorts the first keys; NaN if all have one label. */
  private static double area(long[] keys, int count) {
    Arrays.sort(keys, 0, count);
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
