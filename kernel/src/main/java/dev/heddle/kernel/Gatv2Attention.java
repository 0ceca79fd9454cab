package dev.heddle.kernel;

import org.jspecify.annotations.Nullable;

/**
 * Dynamic attention (GATv2, Brody et al. 2022), fused with the aggregation.
 *
 * <p>With H heads of D columns, sources x and destinations y, per head:
 *
 * <pre>
 *   e(u→v)     = a · leaky(x[u] + y[v])
 *   alpha(u→v) = exp(e(u→v)) / Σ_{u' → v} exp(e(u'→v))
 *   out[v]     = Σ_{u → v} alpha(u→v) · x[u]
 * </pre>
 *
 * <p>A destination without arcs gets zeros. The way back is that of {@link GatAttention}, with the
 * gradient of a score spread over columns: {@code s(u→v) = de · leaky'(x[u] + y[v])}. Its sums over
 * a row's arcs give {@code a ⊙ Σ s} to the row; and since {@code leaky(z) = z · leaky'(z)}, they
 * also give the gradient of a, {@code Σ_u x[u] ⊙ Σ_v s + Σ_v y[v] ⊙ Σ_u s}, without another walk.
 */
public final class Gatv2Attention {
  private final Csr in;
  private final AttentionBuffers buffers;
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
   * @param vector a, 1 × H·D
   */
  public record Operands(Matrix sources, Matrix destinations, Matrix vector) {}

  private Gatv2Attention(ArcTwins arcs, AttentionBuffers buffers, AttentionKernels kernels) {
    this.in = arcs.in();
    this.buffers = buffers;
    var setting = new AttentionPass.Setting(true, buffers, dropout, kernels);
    this.dots = new HeadDots(buffers, kernels);
    this.incoming = AttentionPass.incoming(arcs, setting);
    this.outgoing = AttentionPass.outgoing(arcs, setting);
    this.output = buffers.state();
    this.values = new Operands(output, output, output);
  }

  /** Attention over arcs. */
  public static Gatv2Attention over(ArcTwins arcs, AttentionBuffers buffers) {
    return over(arcs, buffers, Kernels.attention());
  }

  static Gatv2Attention over(ArcTwins arcs, AttentionBuffers buffers, AttentionKernels kernels) {
    return new Gatv2Attention(arcs, buffers, kernels);
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
    incoming.scored(values.destinations(), values.sources(), slope);
    incoming.gathering(values.destinations(), values.sources());
    incoming.projecting(values.destinations(), values.vector());
    incoming.forward(team, out);
  }

  /**
   * The way back of the last {@link #forward}, whose operands and output must be as they were.
   *
   * <p>Gradients of rows are written, or added if {@code add}; where those of destinations are the
   * first rows of those of sources, both parts are summed. The vector's gradient is always added.
   *
   * @param gradient of the output
   */
  public void backward(ThreadTeam team, Matrix gradient, Operands gradients, boolean add) {
    require(gradients);
    buffers.heads().require("the output's gradient", gradient, in.rows());
    dots.into(buffers.state(), buffers.mean());
    dots.run(team, in.rows(), gradient, output);
    incoming.gathering(gradient, values.sources());
    int overwriteFrom = add ? Integer.MAX_VALUE : 0;
    incoming.backward(team, gradients.destinations(), overwriteFrom, gradients.vector());
    boolean shared = gradients.destinations().address(0) == gradients.sources().address(0);
    outgoing.scored(values.sources(), values.destinations(), slope);
    outgoing.gathering(values.sources(), gradient);
    outgoing.projecting(values.sources(), values.vector());
    outgoing.backward(
        team, gradients.sources(), !add && shared ? in.rows() : overwriteFrom, gradients.vector());
  }

  private void require(Operands operands) {
    Heads heads = buffers.heads();
    heads.require("the rows of sources", operands.sources(), in.cols());
    heads.require("the rows of destinations", operands.destinations(), in.rows());
    heads.require("the vector", operands.vector(), 1);
  }
}
