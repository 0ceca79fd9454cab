package dev.heddle.nn;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.Labels;
import dev.heddle.graph.MultiLabels;
import dev.heddle.graph.RealLabels;
import dev.heddle.kernel.Matrix;

/**
 * {@code F1 = 2·tp / (2·tp + fp + fn)}, the harmonic mean of precision and recall.
 *
 * <p>A class is predicted by the highest score of a row, one of several labels by a score above 0.
 */
public record F1(Average average) implements AdditiveMetric {
  /** How several classes or labels become one number. */
  public enum Average {
    /** From counts over all; for one class per row, this is accuracy. */
    MICRO,

    /**
     * The mean of each one's F1: over classes that occur as label or prediction, over all labels. A
     * label that never occurs counts 0.
     */
    MACRO
  }

  @Override
  public String name() {
    return average == Average.MICRO ? "f1-micro" : "f1-macro";
  }

  @Override
  public boolean higherIsBetter() {
    return true;
  }

  @Override
  public double[] tally(Matrix scores, Labels labels, int[] rows) {
    Prediction.requireFit(scores, labels);
    var counts = new Counts(labels.width());
    switch (labels) {
      case ClassLabels classes -> counts.addClasses(scores, classes, rows);
      case MultiLabels multi -> counts.addLabels(scores, multi.values(), rows);
      case RealLabels _ -> throw Prediction.unsuited(this, labels);
    }
    return counts.toDoubles(rows.length);
  }

  @Override
  public double of(double[] tally, Labels labels) {
    var counts = Counts.of(tally);
    if (tally[tally.length - 1] == 0) {
      return Double.NaN;
    }
    return average == Average.MICRO ? counts.micro() : counts.macro(labels instanceof MultiLabels);
  }

  /** True positives and how often each class was predicted and was right to predict. */
  private static final class Counts {
    private final long[] hits;
    private final long[] predicted;
    private final long[] actual;

    Counts(int width) {
      hits = new long[width];
      predicted = new long[width];
      actual = new long[width];
    }

    /** Counts as they are summed over workers: hits, predicted, actual, and how many rows. */
    static Counts of(double[] tally) {
      int width = (tally.length - 1) / 3;
      Counts counts = new Counts(width);
      for (int c = 0; c < width; c++) {
        counts.hits[c] = (long) tally[c];
        counts.predicted[c] = (long) tally[width + c];
        counts.actual[c] = (long) tally[2 * width + c];
      }
      return counts;
    }

    double[] toDoubles(int rows) {
      int width = hits.length;
      double[] tally = new double[3 * width + 1];
      for (int c = 0; c < width; c++) {
        tally[c] = hits[c];
        tally[width + c] = predicted[c];
        tally[2 * width + c] = actual[c];
      }
      tally[3 * width] = rows;
      return tally;
    }

    void addClasses(Matrix scores, ClassLabels classes, int[] rows) {
      for (int row : rows) {
        int guess = Prediction.classOf(scores, row);
        int label = Prediction.known(classes, row);
        actual[label]++;
        if (guess != Prediction.NONE) {
          predicted[guess]++;
        }
        if (guess == label) {
          hits[label]++;
        }
      }
    }

    void addLabels(Matrix scores, Matrix labels, int[] rows) {
      for (int row : rows) {
        for (int label = 0; label < labels.cols(); label++) {
          boolean guess = Prediction.has(scores, row, label);
          boolean is = labels.get(row, label) != 0;
          predicted[label] += guess ? 1 : 0;
          actual[label] += is ? 1 : 0;
          hits[label] += guess && is ? 1 : 0;
        }
      }
    }

    double micro() {
      long hit = 0;
      long total = 0;
      for (int c = 0; c < hits.length; c++) {
        hit += hits[c];
        total += predicted[c] + actual[c];
      }
      return f1(hit, total);
    }

    double macro(boolean countAbsent) {
      double sum = 0;
      int present = 0;
      for (int c = 0; c < hits.length; c++) {
        long total = predicted[c] + actual[c];
        if (countAbsent || total > 0) {
          sum += f1(hits[c], total);
          present++;
        }
      }
      return sum / present;
    }

    /** {@code total = 2·tp + fp + fn}. */
    private static double f1(long hit, long total) {
      return total == 0 ? 0 : 2.0 * hit / total;
    }
  }
}
