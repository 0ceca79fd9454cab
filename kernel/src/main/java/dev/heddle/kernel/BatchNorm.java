package dev.heddle.kernel;

import org.jspecify.annotations.Nullable;

/**
 * Batch normalisation (Ioffe & Szegedy, 2015): {@code out = γ ⊙ x̂ + β}, {@code x̂ = (x − μ) / √(σ²
 * + ε)} over the rows of each column.
 *
 * <p>In training μ and σ² are those of the rows at hand, and running averages (momentum 0.1, with
 * the unbiased variance) are kept for evaluation. With {@code g} the gradient of the output and n
 * rows: {@code ∂x = γ/√(σ²+ε) · (g − Σg/n − x̂ · Σ(g ⊙ x̂)/n)}, an affine function of g and x per
 * column. Where several workers share the rows, all four sums are over the rows of all.
 */
public final class BatchNorm {
  private static final double EPSILON = 1e-5;
  private static final double MOMENTUM = 0.1;

  private final State state;
  private final Matrix mean;
  private final Matrix sums;
  private final double[] deviation;
  private final ColumnReduction sum;
  private final ColumnReduction squares;
  private final ColumnReduction gradSum;
  private final ColumnReduction gradDot;
  private final ColumnAffine affine;
  private final RowTotals totals;
  private final Runnable totalMean;
  private final Runnable totalSums;
  private final Matrix gradSums;
  private final Runnable totalGradSums;
  private Matrix x = Matrix.EMPTY;
  private Matrix grad = Matrix.EMPTY;

  /**
   * What is learnt and what is averaged, each {@code 1 × cols}.
   *
   * @param gamma scale
   * @param beta shift
   * @param runningMean updated by training
   * @param runningVariance updated by training
   */
  public record State(Matrix gamma, Matrix beta, Matrix runningMean, Matrix runningVariance) {}

  private BatchNorm(State state, Memory memory, RowTotals totals) {
    this.state = state;
    this.totals = totals;
    int cols = state.gamma().cols();
    mean = Matrix.allocate(memory, 1, cols);
    sums = Matrix.allocate(memory, 1, cols);
    deviation = new double[cols];
    sum = ColumnReduction.allocate(memory, cols, this::sumRows);
    squares = ColumnReduction.allocate(memory, cols, this::squareRows);
    gradSum = ColumnReduction.allocate(memory, cols, this::gradRows);
    gradDot = ColumnReduction.allocate(memory, cols, this::dotRows);
    affine = ColumnAffine.allocate(memory, cols);
    gradSums = Matrix.allocate(memory, 1, cols);
    totalMean = totals.of(mean);
    totalSums = totals.of(sums);
    totalGradSums = totals.of(gradSums);
  }

  /** Bytes of memory that normalising so many columns takes. */
  public static long bytes(int cols) {
    return 4 * ColumnSum.bytes(cols) + 6 * Matrix.bytes(1, cols);
  }

  /** Over the rows that are given. */
  public static BatchNorm of(State state, Memory memory) {
    return of(state, memory, RowTotals.ALONE);
  }

  /** Over the rows of all workers, of which each gives its own. */
  public static BatchNorm of(State state, Memory memory, RowTotals totals) {
    return new BatchNorm(state, memory, totals);
  }

  /** Normalises by the rows' own statistics and averages those. */
  public void forward(ThreadTeam team, int rows, Matrix source, Matrix target) {
    x = source;
    long all = totals.rows(rows);
    mean.fill(0);
    sum.addTo(team, rows, mean);
    totalMean.run();
    for (int c = 0; c < mean.cols(); c++) {
      mean.set(0, c, mean.get(0, c) / all);
    }
    sums.fill(0);
    squares.addTo(team, rows, sums);
    totalSums.run();
    for (int c = 0; c < mean.cols(); c++) {
      double variance = (double) sums.get(0, c) / all;
      deviation[c] = Math.sqrt(variance + EPSILON);
      average(state.runningMean(), c, mean.get(0, c));
      average(state.runningVariance(), c, variance * all / Math.max(1, all - 1));
    }
    normalise(team, rows, mean, target);
  }

  private static void average(Matrix running, int c, double value) {
    running.set(0, c, (float) ((1 - MOMENTUM) * running.get(0, c) + MOMENTUM * value));
  }

  /** Normalises by the running statistics. */
  public void evaluate(ThreadTeam team, int rows, Matrix source, Matrix target) {
    x = source;
    for (int c = 0; c < deviation.length; c++) {
      deviation[c] = Math.sqrt(state.runningVariance().get(0, c) + EPSILON);
    }
    normalise(team, rows, state.runningMean(), target);
  }

  private void normalise(ThreadTeam team, int rows, Matrix centre, Matrix target) {
    for (int c = 0; c < deviation.length; c++) {
      double scale = state.gamma().get(0, c) / deviation[c];
      affine.alpha().set(0, c, (float) scale);
      affine.beta().set(0, c, 0);
      affine.gamma().set(0, c, (float) (state.beta().get(0, c) - scale * centre.get(0, c)));
    }
    affine.addsToOutput(false);
    affine.run(team, rows, x, x, target);
  }

  /**
   * The gradients of the last {@link #forward}, whose input must be as it was.
   *
   * @param grads where the input's is written or added, and those of γ and β are added: this
   *     worker's share of them
   */
  public void backward(ThreadTeam team, int rows, Matrix outputGrad, Gradients grads) {
    grad = outputGrad;
    long all = totals.rows(rows);
    gradSums.fill(0);
    gradSum.addTo(team, rows, gradSums);
    sums.fill(0);
    gradDot.addTo(team, rows, sums);
    for (int c = 0; c < deviation.length; c++) {
      grads.gamma().set(0, c, grads.gamma().get(0, c) + (float) (sums.get(0, c) / deviation[c]));
      grads.beta().set(0, c, grads.beta().get(0, c) + gradSums.get(0, c));
    }
    totalGradSums.run();
    totalSums.run();
    for (int c = 0; c < deviation.length; c++) {
      double total = gradSums.get(0, c);
      double dot = sums.get(0, c) / deviation[c];
      double scale = state.gamma().get(0, c) / deviation[c];
      double slope = scale * dot / (all * deviation[c]);
      affine.alpha().set(0, c, (float) scale);
      affine.beta().set(0, c, (float) -slope);
      affine.gamma().set(0, c, (float) (slope * mean.get(0, c) - scale * total / all));
    }
    if (grads.input() != null) {
      affine.addsToOutput(grads.add());
      affine.run(team, rows, grad, x, grads.input());
    }
  }

  /**
   * Where gradients go.
   *
   * @param input the input's, or null where nobody asks
   * @param add whether the input's is added to
   */
  public record Gradients(@Nullable Matrix input, boolean add, Matrix gamma, Matrix beta) {}

  private void sumRows(int from, int to, Matrix partials, int part) {
    Kernels.columns().sum(x, from, to, partials, part);
  }

  private void squareRows(int from, int to, Matrix partials, int part) {
    Kernels.columns().squares(x, mean, from, to, partials, part);
  }

  private void gradRows(int from, int to, Matrix partials, int part) {
    Kernels.columns().sum(grad, from, to, partials, part);
  }

  private void dotRows(int from, int to, Matrix partials, int part) {
    Kernels.columns().centredDot(grad, x, mean, from, to, partials, part);
  }
}
