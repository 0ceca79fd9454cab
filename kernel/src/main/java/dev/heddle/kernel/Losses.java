package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/** The losses there are, each over listed rows. */
public final class Losses {
  private Losses() {}

  /**
   * Softmax cross-entropy: {@code Σ_rows −log softmax(scores)[class]}.
   *
   * @param labels an int per row; listed rows whose label is no class are refused
   * @param classes how many classes there are
   */
  public static RowLoss softmaxCrossEntropy(
      Memory memory, int[] rows, MemorySegment labels, int classes) {
    for (int row : rows) {
      int label = labels.getAtIndex(JAVA_INT, row);
      if (label < 0 || label >= classes) {
        throw new IllegalArgumentException(
            "row " + row + " has class " + label + ", but classes go from 0 to " + (classes - 1));
      }
    }
    return RowLoss.of(
        memory,
        rows,
        (scores, row, scale, grad) ->
            Kernels.rows()
                .softmaxCrossEntropy(scores, row, labels.getAtIndex(JAVA_INT, row), scale, grad));
  }

  /**
   * Sigmoid cross-entropy for several labels at once: {@code Σ_rows Σ_labels log(1 + eˢ) − t·s}.
   *
   * @param targets 0 or 1 per row and label
   */
  public static RowLoss sigmoidCrossEntropy(Memory memory, int[] rows, Matrix targets) {
    return RowLoss.of(
        memory,
        rows,
        (scores, row, scale, grad) -> {
          double sum = 0;
          for (int c = 0; c < scores.cols(); c++) {
            double s = scores.get(row, c);
            double t = targets.get(row, c);
            // e to a negative power only: never overflows.
            double e = Math.exp(-Math.abs(s));
            sum += Math.max(s, 0) - s * t + Math.log1p(e);
            double sigmoid = s >= 0 ? 1 / (1 + e) : e / (1 + e);
            grad.set(row, c, (float) (scale * (sigmoid - t)));
          }
          return sum;
        });
  }

  /** Squared error: {@code Σ_rows Σ_columns (score − target)²}. */
  public static RowLoss squaredError(Memory memory, int[] rows, Matrix targets) {
    return RowLoss.of(
        memory,
        rows,
        (scores, row, scale, grad) -> {
          double sum = 0;
          for (int c = 0; c < scores.cols(); c++) {
            double d = (double) scores.get(row, c) - targets.get(row, c);
            sum += d * d;
            grad.set(row, c, (float) (2 * scale * d));
          }
          return sum;
        });
  }
}
