package dev.heddle.nn;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.Labels;
import dev.heddle.kernel.Matrix;

/** The share of rows whose highest score is that of their class. */
public record Accuracy() implements AdditiveMetric {
  @Override
  public String name() {
    return "accuracy";
  }

  @Override
  public boolean higherIsBetter() {
    return true;
  }

  @Override
  public double[] tally(Matrix scores, Labels labels, int[] rows) {
    if (!(labels instanceof ClassLabels classes)) {
      throw Prediction.unsuited(this, labels);
    }
    Prediction.requireFit(scores, labels);
    int right = 0;
    for (int row : rows) {
      if (Prediction.classOf(scores, row) == Prediction.known(classes, row)) {
        right++;
      }
    }
    return new double[] {right, rows.length};
  }

  @Override
  public double of(double[] tally, Labels labels) {
    return tally[0] / tally[1];
  }
}
