package dev.heddle.kernel;

import org.jspecify.annotations.Nullable;

/**
 * Attention of graph attention networks (Veličković et al. 2018), fused with the aggregation.
 *
 * <p>With H heads of D columns, sources x and destinations y, per head:
 *
 * <pre>
 *   e(u→v)     = leaky(a·x[u] + b·y[v])
 *   alpha(u→v) = exp(e(u→v)) / Σ_{u' → v} exp(e(u'→v))
 *   out[v]     = Σ_{u → v} alpha(u→v) · x[u]
 * </pre>
 *
 * <p>A destination without arcs gets zeros. The way back computes coefficients anew from the scores
 * and the softmax's maxima and sums. With c[v] = g[v] · out[v], the mean gradient of v's
 * coefficients, the gradient of a score is {@code alpha · (g[v] · x[u] − c[v]) · leaky'}; so
 * nothing is kept per arc from forward to backward. Reused from run to run, it allocates nothing.
 * Weights of arcs are not looked at.
 */
public final class GatAttention {
  private final Csr in;
  private final AttentionBuffers buffers;
  private final Matrix sourceScores;
  private final AttentionDropout dropout = new AttentionDropout();
  private final HeadDots dots;
  private final AttentionPass incoming;
  private final AttentionPass outgoing;

  private float slope = 0.2f;
  private Operands values;
  private Matrix output;

  /**
   * What attention works on, and likewise the gradients of it.
   *
   * @param sources x, a row for every source, H·D wide
   * @param destinations y, a row for every destination, H·D wide; may be the first rows of x
   * @param sourceVector a, 1 × H·D
   * @param destinationVector b, 1 × H·D
   */
  public record Operands(
      Matrix sources, Matrix destinations, Matrix sourceVector, Matrix destinationVector) {}

  private GatAttention(
      ArcTwins arcs, AttentionBuffers buffers, Matrix sourceScores, AttentionKernels kernels) {
    this.in = arcs.in();
    this.buffers = buffers;
    this.sourceScores = sourceScores;
    var setting = new AttentionPass.Setting(false, buffers, dropout, kernels);
    this.dots = new HeadDots(buffers, kernels);
    this.incoming = AttentionPass.incoming(arcs, setting);
    this.outgoing = AttentionPass.outgoing(arcs, setting);
    this.values = new Operands(sourceScores, sourceScores, sourceScores, sourceScores);
    this.output = sourceScores;
  }

  /**
   * Attention over arcs.
   *
   * @param sourceScores a row for every source, one column per head; kept for the way back
   */
  public static GatAttention over(ArcTwins arcs, AttentionBuffers buffers, Matrix sourceScores) {
    return over(arcs, buffers, sourceScores, Kernels.attention());
  }

  static GatAttention over(
      ArcTwins arcs, AttentionBuffers buffers, Matrix sourceScores, AttentionKernels kernels) {
    return new GatAttention(arcs, buffers, sourceScores, kernels);
  }

  /** Sets the slope of the leaky rectifier below zero, in [0, 1]; 0.2 unless set. */
  public void slope(float belowZero) {
    slope = AttentionPass.requireSlope(belowZero);
  }

  /** From now on drops coefficients at this rate by the draws of this key; 0 drops none. */
  public void dropout(float rate, long key) {
    dropout.set(rate, key);
  }

  /** Draws by these ids of sources, see {@link RowIds}; by their indices where there are none. */
  public void rowIds(@Nullable RowIds ids) {
    dropout.rowIds(ids);
  }

  /** Writes {@code out}, a row for every destination. */
  public void forward(ThreadTeam team, Operands operands, Matrix out) {
    require(operands);
    buffers.heads().require("the output", out, in.rows());
    values = operands;
    output = out;
    dots.into(sourceScores, 0);
    dots.run(team, in.cols(), values.sources(), values.sourceVector());
    dots.into(buffers.state(), buffers.score());
    dots.run(team, in.rows(), values.destinations(), values.destinationVector());
    incoming.scored(buffers.state(), sourceScores, slope);
    incoming.gathering(values.destinations(), values.sources());
    incoming.forward(team, out);
  }

  /**
   * The way back of the last {@link #forward}, whose operands and output must be as they were.
   *
   * <p>Gradients of rows are written, or added if {@code add}; where those of destinations are the
   * first rows of those of sources, both parts are summed. Gradients of vectors are always added.
   *
   * @param gradient of the output
   */
  public void backward(ThreadTeam team, Matrix gradient, Operands gradients, boolean add) {
    require(gradients);
    buffers.heads().require("the output's gradient", gradient, in.rows());
    dots.into(buffers.state(), buffers.mean());
    dots.run(team, in.rows(), gradient, output);
    incoming.gathering(gradient, values.sources());
    incoming.projecting(values.destinations(), values.destinationVector());
    incoming.backward(
        team, gradients.destinations(), add ? Integer.MAX_VALUE : 0, gradients.destinationVector());
    boolean shared = gradients.destinations().address(0) == gradients.sources().address(0);
    outgoing.gathering(values.sources(), gradient);
    outgoing.projecting(values.sources(), values.sourceVector());
    outgoing.backward(
        team,
        gradients.sources(),
        add ? Integer.MAX_VALUE : shared ? in.rows() : 0,
        gradients.sourceVector());
  }

  private void require(Operands operands) {
    Heads heads = buffers.heads();
    heads.require("the rows of sources", operands.sources(), in.cols());
    heads.require("the rows of destinations", operands.destinations(), in.rows());
    heads.require("the source vector", operands.sourceVector(), 1);
    heads.require("the destination vector", operands.destinationVector(), 1);
  }
}
