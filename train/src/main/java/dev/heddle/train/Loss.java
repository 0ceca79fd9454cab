package dev.heddle.train;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.Labels;
import dev.heddle.graph.MultiLabels;
import dev.heddle.graph.RealLabels;
import dev.heddle.kernel.Losses;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowLoss;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Metric;

/**
 * The loss that suits some labels: softmax cross-entropy for one class per vertex, sigmoid
 * cross-entropy for several labels, squared error for numbers. A sum over training vertices divided
 * by how many there are.
 */
final class Loss {
  private final RowLoss loss;
  private float scale;
  private final Metric usualMetric;

  private Loss(RowLoss loss, long count, String metric) {
    this.loss = loss;
    scale = 1f / count;
    usualMetric = Metric.named(metric);
  }

  /**
   * A loss.
   *
   * @param count training vertices of all workers, of which {@code rows} are this one's
   */
  static Loss of(Memory memory, Labels labels, int[] rows, long count) {
    return switch (labels) {
      case ClassLabels classes -> {
        for (int row : rows) {
          if (classes.at(row) == ClassLabels.NONE) {
            throw new IllegalArgumentException("training vertex " + row + " has no label");
          }
        }
        RowLoss loss =
            Losses.softmaxCrossEntropy(memory, rows, classes.values(), classes.classes());
        yield new Loss(loss, count, "accuracy");
      }
      case MultiLabels multi ->
          new Loss(Losses.sigmoidCrossEntropy(memory, rows, multi.values()), count, "f1-micro");
      case RealLabels real ->
          new Loss(Losses.squaredError(memory, rows, real.values()), count, "rmse");
    };
  }

  /** The same over the first of the rows only, per row. */
  Loss over(int rows) {
    return over(rows, rows);
  }

  /** The same over the first of the rows only, which are some of so many. */
  Loss over(int rows, long count) {
    loss.first(rows);
    scale = 1f / count;
    return this;
  }

  /** The loss of some scores, and its gradient by them. */
  double gradient(ThreadTeam team, Matrix scores, Matrix grad) {
    return loss.run(team, scores, scale, grad);
  }

  Metric usualMetric() {
    return usualMetric;
  }
}
