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
    Counts counts = Counts.none(labels.width());
    switch (labels) {
      case ClassLabels classes -> counts.addClasses(scores, classes, rows);
      case MultiLabels multi -> counts.addLabels(scores, multi.values(), rows);
      case RealLabels _ -> throw Prediction.unsuited(this, labels);
    }
    return counts.tally();
  }

  @Override
  public double of(double[] tally, Labels labels) {
    Counts counts = new Counts(tally);
    if (counts.rows() == 0) {
      return Double.NaN;
    }
    return average == Average.MICRO ? counts.micro() : counts.macro(labels instanceof MultiLabels);
  }

  /**
   * How often each class was hit, predicted, and right to predict, one after the other, and how
   * many rows there were: numbers that add up over workers.
   */
  @SuppressWarnings("ArrayRecordComponent") // What is counted in.
  private record Counts(double[] tally) {
    static Counts none(int width) {
      return new Counts(new double[3 * width + 1]);
    }

    private int width() {
      return tally.length / 3;
    }

    double rows() {
      return tally[tally.length - 1];
    }

    private void count(int label, boolean predicted, boolean actual) {
      tally[label] += predicted && actual ? 1 : 0;
      tally[width() + label] += predicted ? 1 : 0;
      tally[2 * width() + label] += actual ? 1 : 0;
    }

    void addClasses(Matrix scores, ClassLabels classes, int[] rows) {
      for (int row : rows) {
        int guess = Prediction.classOf(scores, row);
        int label = Prediction.known(classes, row);
        count(label, guess == label, true);
        if (guess != label && guess != Prediction.NONE) {
          count(guess, true, false);
        }
      }
      tally[tally.length - 1] += rows.length;
    }

    void addLabels(Matrix scores, Matrix labels, int[] rows) {
      for (int row : rows) {
        for (int label = 0; label < labels.cols(); label++) {
          count(label, Prediction.has(scores, row, label), labels.get(row, label) != 0);
        }
      }
      tally[tally.length - 1] += rows.length;
    }

    double micro() {
      double hits = 0;
      double total = 0;
      for (int c = 0; c < width(); c++) {
        hits += tally[c];
        total += total(c);
      }
      return f1(hits, total);
    }

    double macro(boolean countAbsent) {
      double sum = 0;
      int present = 0;
      for (int c = 0; c < width(); c++) {
        if (countAbsent || total(c) > 0) {
          sum += f1(tally[c], total(c));
          present++;
        }
      }
      return sum / present;
    }

    /** {@code 2·tp + fp + fn} of a label. */
    private double total(int label) {
      return tally[width() + label] + tally[2 * width() + label];
    }

    private static double f1(double hits, double total) {
      return total == 0 ? 0 : 2 * hits / total;
    }
  }
}
