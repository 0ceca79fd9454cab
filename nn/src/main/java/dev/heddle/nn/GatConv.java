package dev.heddle.nn;

import dev.heddle.kernel.Activation;
import dev.heddle.nn.program.GatScores;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;

/**
 * Graph attention (Veličković et al., "Graph Attention Networks", ICLR 2018).
 *
 * <pre>
 *   e_uv = leakyRelu(a_src · W x_u + a_dst · W x_v),   α = softmax of e over u→v
 *   out_v = ‖_heads Σ_u α_uv W x_u + b
 * </pre>
 *
 * <p>Shapes: x {@code sources × in}, W {@code in × heads·width}, a_src and a_dst {@code 1 ×
 * heads·width}, out {@code destinations × heads·width}, or {@code … × width} where the heads are
 * averaged. The block's arcs must include the self-loops.
 */
public final class GatConv implements Layer {
  private final Parameter weight;
  private final GatScores scores;
  private final AttentionHeads heads;
  private final Parameter bias;

  /** A layer of heads that read rows of {@code in} columns; see {@link AttentionHeads}. */
  public GatConv(Parameters parameters, int in, AttentionHeads heads) {
    this.heads = heads;
    weight = parameters.weight("weight", in, heads.columns());
    scores =
        new GatScores(
            parameters.weight("attention_source", 1, heads.columns()),
            parameters.weight("attention_destination", 1, heads.columns()),
            heads.layout(),
            heads.dropout());
    bias = parameters.zeros("bias", heads.outputColumns());
  }

  @Override
  public Value record(Recorder r, Hop hop, Value x) {
    Value attended = r.attention(hop, r.linear(x, weight), scores);
    return r.epilogue(heads.joined(r, attended), bias, Activation.NONE, 0);
  }
}
