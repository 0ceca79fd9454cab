package dev.heddle.nn;

import dev.heddle.graph.Labels;
import dev.heddle.kernel.Matrix;

/** A metric that follows from sums over rows, so that several workers can each count their own. */
public sealed interface AdditiveMetric extends Metric permits Accuracy, F1, MeanSquaredError {
  /** What is summed over some rows; as many numbers whichever rows they are. */
  double[] tally(Matrix scores, Labels labels, int[] rows);

  /** The metric, from the sums over all rows; NaN where it is not defined, as over no rows. */
  double of(double[] tally, Labels labels);

  @Override
  default double evaluate(Matrix scores, Labels labels, int[] rows) {
    return of(tally(scores, labels, rows), labels);
  }
}
