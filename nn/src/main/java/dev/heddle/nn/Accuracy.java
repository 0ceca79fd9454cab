package dev.heddle.nn;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.Labels;
import dev.heddle.kernel.Matrix;

/** The share of rows whose highest score is that of their class. */
public record Accuracy() implements Metric {
  @Override
  public String name() {
    return "accuracy";
  }

  @Override
  public boolean higherIsBetter() {
    return true;
  }

  @Override
  public double evaluate(Matrix scores, Labels labels, int[] rows) {
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
    return (double) right / rows.length;
  }
}
