package dev.heddle.nn;

import dev.heddle.graph.Labels;
import dev.heddle.graph.RealLabels;
import dev.heddle.kernel.Matrix;

/**
 * The mean of {@code (score − label)²} over rows and columns, or its root.
 *
 * @param root whether to take the root
 */
public record MeanSquaredError(boolean root) implements AdditiveMetric {
  @Override
  public String name() {
    return root ? "rmse" : "mse";
  }

  @Override
  public boolean higherIsBetter() {
    return false;
  }

  @Override
  public double[] tally(Matrix scores, Labels labels, int[] rows) {
    if (!(labels instanceof RealLabels(Matrix values))) {
      throw Prediction.unsuited(this, labels);
    }
    Prediction.requireFit(scores, labels);
    double sum = 0;
    for (int row : rows) {
      for (int c = 0; c < values.cols(); c++) {
        double error = (double) scores.get(row, c) - values.get(row, c);
        sum += error * error;
      }
    }
    return new double[] {sum, (double) rows.length * values.cols()};
  }

  @Override
  public double of(double[] tally, Labels labels) {
    double mean = tally[0] / tally[1];
    return root ? Math.sqrt(mean) : mean;
  }
}
