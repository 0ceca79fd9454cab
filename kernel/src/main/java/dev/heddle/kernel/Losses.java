package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/** The losses there are, each over listed rows. */
public final class Losses {
  private Losses() {}

  /**
   * Softmax cross-entropy: {@code Σ_rows −log softmax(scores)[class]}.
   *
   * @param classes an int per row
   */
  public static RowLoss softmaxCrossEntropy(Memory memory, int[] rows, MemorySegment classes) {
    return RowLoss.of(
        memory,
        rows,
        (scores, row, scale, grad) -> {
          int cols = scores.cols();
          float max = Float.NEGATIVE_INFINITY;
          for (int c = 0; c < cols; c++) {
            max = Math.max(max, scores.get(row, c));
          }
          double sum = 0;
          for (int c = 0; c < cols; c++) {
            float e = (float) Math.exp(scores.get(row, c) - max);
            grad.set(row, c, e);
            sum += e;
          }
          int target = classes.getAtIndex(JAVA_INT, row);
          float factor = (float) (scale / sum);
          for (int c = 0; c < cols; c++) {
            grad.set(row, c, grad.get(row, c) * factor);
          }
          grad.set(row, target, grad.get(row, target) - scale);
          return Math.log(sum) + max - scores.get(row, target);
        });
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
