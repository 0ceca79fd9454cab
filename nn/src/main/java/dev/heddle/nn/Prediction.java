package dev.heddle.nn;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.Labels;
import dev.heddle.kernel.Matrix;
import java.lang.foreign.MemorySegment;

/** What rows of scores say, read against the labels they are judged by. */
final class Prediction {
  /** No class: of a row with a NaN, which is never right. */
  static final int NONE = -1;

  private Prediction() {}

  /** The column of the highest score, of equal ones the first; one column is that of class 1. */
  static int classOf(Matrix scores, int row) {
    MemorySegment data = scores.data();
    long at = scores.offset(row);
    int best = 0;
    float highest = scores.cols() == 1 ? 0 : Float.NEGATIVE_INFINITY;
    for (int c = 0; c < scores.cols(); c++) {
      float score = data.get(JAVA_FLOAT, at + 4L * c);
      if (Float.isNaN(score)) {
        return NONE;
      }
      if (score > highest) {
        highest = score;
        best = scores.cols() == 1 ? 1 : c;
      }
    }
    return best;
  }

  /** Whether a label is predicted: the probability {@code sigmoid(score)} is above a half. */
  static boolean has(Matrix scores, int row, int label) {
    return scores.get(row, label) > 0;
  }

  /** The class of a row, which must have one. */
  static int known(ClassLabels labels, int row) {
    int label = labels.at(row);
    if (label < 0 || label >= labels.classes()) {
      throw new IllegalArgumentException(
          "row " + row + " has class " + label + " of " + labels.classes());
    }
    return label;
  }

  /** Refuses scores whose columns are not those of the labels. */
  static void requireFit(Matrix scores, Labels labels) {
    boolean binary = labels instanceof ClassLabels && labels.width() == 2 && scores.cols() == 1;
    if (scores.cols() != labels.width() && !binary) {
      throw new IllegalArgumentException(
          scores.cols() + " columns of scores do not fit labels of width " + labels.width());
    }
  }

  static IllegalArgumentException unsuited(Metric metric, Labels labels) {
    return new IllegalArgumentException(
        metric.name() + " cannot judge " + labels.getClass().getSimpleName());
  }
}
