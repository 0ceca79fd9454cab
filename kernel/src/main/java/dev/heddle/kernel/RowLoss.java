package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.util.BitSet;

/**
 * A loss that is a sum over listed rows of scores, and its gradient.
 *
 * <p>Both are multiplied by a factor of the caller's, one over the global number of rows, so that
 * parts of unequal size add up. Rows that are not listed get a gradient of zero. The gradient may
 * take the place of the scores: a row is read before its gradient is written.
 */
public final class RowLoss {
  /** One row's loss; writes the row's gradient, times {@code scale}. */
  interface Kernel {
    double row(Matrix scores, int row, float scale, Matrix grad);
  }

  private final Kernel kernel;
  private final ListedRows rows;
  private final BitSet listed = new BitSet();
  private final RowLoop zero = new RowLoop(this::zeroRows);
  private Matrix scores = Matrix.EMPTY;
  private Matrix grad = Matrix.EMPTY;
  private float scale;

  private RowLoss(Memory memory, int[] list, Kernel kernel) {
    this.kernel = kernel;
    rows = ListedRows.of(memory, list, this::row);
    for (int row : list) {
      if (listed.get(row)) {
        throw new IllegalArgumentException("row " + row + " is listed twice");
      }
      listed.set(row);
    }
  }

  static RowLoss of(Memory memory, int[] list, Kernel kernel) {
    return new RowLoss(memory, list, kernel);
  }

  /** From now on, only the first rows of the list count: a batch may be smaller than others. */
  public void first(int count) {
    rows.first(count);
  }

  /**
   * The loss, and its gradient by all rows of the scores.
   *
   * @param factor what both are multiplied by
   */
  public double run(ThreadTeam team, Matrix of, float factor, Matrix gradient) {
    scores = of;
    grad = gradient;
    scale = factor;
    zero.run(team, gradient.rows());
    return rows.run(team) * factor;
  }

  private double row(int row) {
    return kernel.row(scores, row, scale, grad);
  }

  private void zeroRows(int from, int to) {
    for (int row = listed.nextClearBit(from); row < to; row = listed.nextClearBit(row + 1)) {
      for (long at = grad.offset(row), end = grad.offset(row + 1); at < end; at += Long.BYTES) {
        grad.data().set(JAVA_LONG, at, 0);
      }
    }
  }
}
