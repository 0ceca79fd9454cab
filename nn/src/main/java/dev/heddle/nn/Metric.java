package dev.heddle.nn;

import dev.heddle.graph.Labels;
import dev.heddle.kernel.Matrix;
import java.util.List;

/**
 * How good scores are: one number from the output of a model, before softmax or sigmoid, and the
 * labels of the same rows.
 */
public sealed interface Metric permits AdditiveMetric, RocAuc {
  /** All there are. */
  List<Metric> ALL =
      List.of(
          new Accuracy(),
          new F1(F1.Average.MICRO),
          new F1(F1.Average.MACRO),
          new RocAuc(),
          new MeanSquaredError(false),
          new MeanSquaredError(true));

  /** The metric's name in settings and reports. */
  String name();

  boolean higherIsBetter();

  /**
   * The metric over some rows of scores and labels; NaN where it is not defined, as over no rows.
   * Labels of a kind that it cannot judge are refused.
   */
  double evaluate(Matrix scores, Labels labels, int[] rows);

  /** The metric of a name. */
  static Metric named(String name) {
    return ALL.stream()
        .filter(metric -> metric.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "there is no metric '"
                    + name
                    + "'; there are "
                    + String.join(", ", ALL.stream().map(Metric::name).toList())));
  }
}
