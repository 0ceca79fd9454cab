package dev.heddle.kernel;

import org.jspecify.annotations.Nullable;

/**
 * Batch normalisation (Ioffe & Szegedy, 2015): {@code out = γ ⊙ x̂ + β}, {@code x̂ = (x − μ) / √(σ²
 * + ε)} over the rows of each column.
 *
 * <p>In training μ and σ² are those of the rows at hand, and running averages (momentum 0.1, with
 * the unbiased variance) are kept for evaluation. With {@code g} the gradient of the output and n
 * rows: {@code ∂x = γ/√(σ²+ε) · (g − Σg/n − x̂ · Σ(g ⊙ x̂)/n)}, an affine function of g and x per
 * column.
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

  private BatchNorm(State state, Memory memory) {
    this.state = state;
    int cols = state.gamma().cols();
    mean = Matrix.allocate(memory, 1, cols);
    sums = Matrix.allocate(memory, 1, cols);
    deviation = new double[cols];
    sum = ColumnReduction.allocate(memory, cols, this::sumRows);
    squares = ColumnReduction.allocate(memory, cols, this::squareRows);
    gradSum = ColumnReduction.allocate(memory, cols, this::gradRows);
    gradDot = ColumnReduction.allocate(memory, cols, this::dotRows);
    affine = ColumnAffine.allocate(memory, cols);
  }

  public static BatchNorm of(State state, Memory memory) {
    return new BatchNorm(state, memory);
  }

  /** Normalises by the rows' own statistics and averages those. */
  public void forward(Workers workers, int rows, Matrix source, Matrix target) {
    x = source;
    mean.fill(0);
    sum.addTo(workers, rows, mean);
    for (int c = 0; c < mean.cols(); c++) {
      mean.set(0, c, mean.get(0, c) / rows);
    }
    sums.fill(0);
    squares.addTo(workers, rows, sums);
    for (int c = 0; c < mean.cols(); c++) {
      double variance = sums.get(0, c) / rows;
      deviation[c] = Math.sqrt(variance + EPSILON);
      average(state.runningMean(), c, mean.get(0, c));
      average(state.runningVariance(), c, variance * rows / Math.max(1, rows - 1));
    }
    normalise(workers, rows, mean, target);
  }

  private static void average(Matrix running, int c, double value) {
    running.set(0, c, (float) ((1 - MOMENTUM) * running.get(0, c) + MOMENTUM * value));
  }

  /** Normalises by the running statistics. */
  public void evaluate(Workers workers, int rows, Matrix source, Matrix target) {
    x = source;
    for (int c = 0; c < deviation.length; c++) {
      deviation[c] = Math.sqrt(state.runningVariance().get(0, c) + EPSILON);
    }
    normalise(workers, rows, state.runningMean(), target);
  }

  private void normalise(Workers workers, int rows, Matrix centre, Matrix target) {
    for (int c = 0; c < deviation.length; c++) {
      double scale = state.gamma().get(0, c) / deviation[c];
      affine.alpha().set(0, c, (float) scale);
      affine.beta().set(0, c, 0);
      affine.gamma().set(0, c, (float) (state.beta().get(0, c) - scale * centre.get(0, c)));
    }
    affine.addsToOutput(false);
    affine.run(workers, rows, x, x, target);
  }

  /**
   * The gradients of the last {@link #forward}, whose input must be as it was.
   *
   * @param grads where the input's is written or added, and those of γ and β are added
   */
  public void backward(Workers workers, int rows, Matrix outputGrad, Gradients grads) {
    grad = outputGrad;
    sums.fill(0);
    gradSum.addTo(workers, rows, sums);
    for (int c = 0; c < deviation.length; c++) {
      affine.gamma().set(0, c, sums.get(0, c));
    }
    sums.fill(0);
    gradDot.addTo(workers, rows, sums);
    for (int c = 0; c < deviation.length; c++) {
      double total = affine.gamma().get(0, c);
      double dot = sums.get(0, c) / deviation[c];
      grads.gamma().set(0, c, grads.gamma().get(0, c) + (float) dot);
      grads.beta().set(0, c, grads.beta().get(0, c) + (float) total);
      double scale = state.gamma().get(0, c) / deviation[c];
      double slope = scale * dot / (rows * deviation[c]);
      affine.alpha().set(0, c, (float) scale);
      affine.beta().set(0, c, (float) -slope);
      affine.gamma().set(0, c, (float) (slope * mean.get(0, c) - scale * total / rows));
    }
    if (grads.input() != null) {
      affine.addsToOutput(grads.add());
      affine.run(workers, rows, grad, x, grads.input());
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
