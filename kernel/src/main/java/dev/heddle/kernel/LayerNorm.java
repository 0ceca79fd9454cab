package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/**
 * Layer normalisation (Ba, Kiros & Hinton, 2016): {@code out = γ ⊙ x̂ + β}, {@code x̂ = (x − mean)
 * / √(variance + ε)} over the columns of each row.
 *
 * <p>Backward needs the input and two floats per row. With {@code g} the gradient of the output and
 * {@code h = γ ⊙ g}: {@code ∂x = (h − mean(h) − x̂ · mean(h ⊙ x̂)) / √(variance + ε)}.
 */
public final class LayerNorm {
  static final double EPSILON = 1e-5;

  private final Matrix gamma;
  private final Matrix beta;
  private final MemorySegment statistics;
  private final ColumnReduction gammaGrad;
  private final ColumnReduction betaGrad;
  private final RowLoop forward = new RowLoop(this::forwardRows);
  private final RowLoop backward = new RowLoop(this::backwardRows);

  private Matrix x = Matrix.EMPTY;
  private Matrix out = Matrix.EMPTY;
  private Matrix inputGrad = Matrix.EMPTY;
  private boolean add;

  private LayerNorm(Matrix gamma, Matrix beta, MemorySegment statistics, Memory memory) {
    this.gamma = gamma;
    this.beta = beta;
    this.statistics = statistics;
    gammaGrad = ColumnReduction.allocate(memory, gamma.cols(), this::gammaRows);
    betaGrad = ColumnReduction.allocate(memory, gamma.cols(), this::betaRows);
  }

  /**
   * A normalisation.
   *
   * @param gamma {@code 1 × cols}
   * @param beta {@code 1 × cols}
   * @param statistics {@link #statisticsBytes} of memory, kept from forward to backward
   * @param memory for partial sums
   */
  public static LayerNorm of(Matrix gamma, Matrix beta, MemorySegment statistics, Memory memory) {
    return new LayerNorm(gamma, beta, statistics, memory);
  }

  /** Bytes of mean and reciprocal deviation of every row. */
  public static long statisticsBytes(int rows) {
    return 2L * Float.BYTES * rows;
  }

  public void forward(ThreadTeam team, int rows, Matrix source, Matrix target) {
    x = source;
    out = target;
    forward.run(team, rows);
  }

  /**
   * Writes or adds the gradient of the input, which must be as it was.
   *
   * @param outputGrad the gradient of the last output
   */
  public void backward(
      ThreadTeam team, int rows, Matrix outputGrad, Matrix target, boolean addToIt) {
    out = outputGrad;
    inputGrad = target;
    add = addToIt;
    backward.run(team, rows);
  }

  /** Adds the gradients of γ and β, from the same gradient of the output. */
  public void backwardParameters(
      ThreadTeam team, int rows, Matrix outputGrad, Matrix gradOfGamma, Matrix gradOfBeta) {
    out = outputGrad;
    gammaGrad.addTo(team, rows, gradOfGamma);
    betaGrad.addTo(team, rows, gradOfBeta);
  }

  private void forwardRows(int from, int to) {
    Kernels.rows().layerNorm(this, from, to);
  }

  private void backwardRows(int from, int to) {
    Kernels.rows().layerNormBackward(this, from, to);
  }

  private void gammaRows(int from, int to, Matrix partials, int part) {
    Kernels.rows().layerNormGamma(this, from, to, partials, part);
  }

  private void betaRows(int from, int to, Matrix partials, int part) {
    Kernels.columns().sum(out, from, to, partials, part);
  }

  Matrix gamma() {
    return gamma;
  }

  Matrix beta() {
    return beta;
  }

  MemorySegment statistics() {
    return statistics;
  }

  Matrix x() {
    return x;
  }

  /** The output; in backward its gradient. */
  Matrix out() {
    return out;
  }

  Matrix inputGrad() {
    return inputGrad;
  }

  boolean add() {
    return add;
  }
}
