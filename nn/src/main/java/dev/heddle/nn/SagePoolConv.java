package dev.heddle.nn;

import dev.heddle.kernel.Activation;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;

/**
 * GraphSAGE with the max-pooling aggregator (Hamilton, Ying & Leskovec, NeurIPS 2017, eq. 3).
 *
 * <pre>
 *   out_v = x_v W_self + max_{u→v} relu(x_u W_pool + b_pool) W_nbr + b
 * </pre>
 *
 * <p>Shapes: x {@code sources × in}, W_pool {@code in × in} ({@code in × out} for sparse features,
 * which may be very wide), the other W {@code … × out}, out {@code destinations × out}. The maximum
 * over no in-arcs is zero.
 */
public final class SagePoolConv implements Layer {
  private final Parameter pool;
  private final Parameter poolBias;
  private final Parameter self;
  private final Parameter neighbours;
  private final Parameter bias;

  /**
   * A layer from {@code in} to {@code out} columns.
   *
   * @param pooled columns of the pooled rows
   */
  public SagePoolConv(Parameters parameters, int in, int pooled, int out) {
    pool = parameters.weight("pool", in, pooled);
    poolBias = parameters.zeros("pool_bias", pooled);
    self = parameters.weight("self", in, out);
    neighbours = parameters.weight("neighbours", pooled, out);
    bias = parameters.zeros("bias", out);
  }

  @Override
  public Value record(Recorder r, Hop hop, Value x) {
    Value projected = r.epilogue(r.linear(x, pool), poolBias, Activation.RELU, 0);
    Value own = r.linear(x, hop.destinations(), self);
    Value sum = r.linearOnto(r.max(hop, projected), neighbours, own);
    return r.epilogue(sum, bias, Activation.NONE, 0);
  }
}
