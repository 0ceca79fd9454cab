package dev.heddle.train.loop;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.Graph;
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
public final class Loss {
  /** So many classes may be as many as there are vertices: small graphs are used for trying out. */
  private static final int FEW_CLASSES = 100;

  private final RowLoss loss;
  private float scale;

  private Loss(RowLoss loss, long count) {
    this.loss = loss;
    scale = 1f / count;
  }

  /**
   * A loss.
   *
   * @param rows this worker's training rows
   * @param count training vertices of all workers
   */
  public static Loss of(Memory memory, Labels labels, int[] rows, long count) {
    RowLoss loss =
        switch (labels) {
          case ClassLabels classes ->
              Losses.softmaxCrossEntropy(memory, rows, classes.values(), classes.classes());
          case MultiLabels multi -> Losses.sigmoidCrossEntropy(memory, rows, multi.values());
          case RealLabels real -> Losses.squaredError(memory, rows, real.values());
        };
    return new Loss(loss, count);
  }

  /** What is measured where nobody says what. */
  public static Metric usualMetric(Labels labels) {
    return Metric.named(
        switch (labels) {
          case ClassLabels _ -> "accuracy";
          case MultiLabels _ -> "f1-micro";
          case RealLabels _ -> "rmse";
        });
  }

  /** Refuses training vertices without a label, and classes that are hardly more than names. */
  public static void check(Graph graph) {
    if (TrainableGraph.labels(graph) instanceof ClassLabels classes) {
      for (int vertex : TrainableGraph.split(graph).train()) {
        if (classes.at(vertex) == ClassLabels.NONE) {
          throw new IllegalArgumentException(
              "training vertex " + graph.idOf(vertex) + " has no label");
        }
      }
      requireShared(graph, classes);
    }
  }

  /** Numbers that were taken for classes: nearly every vertex has one of its own. */
  private static void requireShared(Graph graph, ClassLabels classes) {
    if (classes.classes() < FEW_CLASSES) {
      return;
    }
    boolean[] there = new boolean[classes.classes()];
    long labelled = 0;
    long different = 0;
    for (int v = 0; v < classes.rows(); v++) {
      int label = classes.at(v);
      if (label != ClassLabels.NONE) {
        labelled++;
        different += there[label] ? 0 : 1;
        there[label] = true;
      }
    }
    if (2 * different > labelled) {
      throw new IllegalArgumentException(
          "the "
              + labelled
              + " labelled vertices of "
              + graph.name()
              + " have "
              + different
              + " different classes: that looks like numbers taken for classes");
    }
  }

  /** This loss over the first of its rows only, which are some of {@code count}. */
  public Loss over(int rows, long count) {
    loss.first(rows);
    scale = 1f / count;
    return this;
  }

  /** The loss of some scores, and its gradient by them. */
  public double gradient(ThreadTeam team, Matrix scores, Matrix grad) {
    return loss.run(team, scores, scale, grad);
  }
}
