package dev.heddle.nn;

import dev.heddle.kernel.Activation;
import dev.heddle.nn.program.Gatv2Scores;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;

/**
 * Dynamic graph attention (Brody, Alon & Yahav, "How Attentive are Graph Attention Networks?", ICLR
 * 2022).
 *
 * <pre>
 *   e_uv = a · leakyRelu(W_l x_u + b_l + W_r x_v + b_r),   α = softmax of e over u→v
 *   out_v = ‖_heads Σ_u α_uv (W_l x_u + b_l) + b
 * </pre>
 *
 * <p>Shapes: x {@code sources × in}, W_l and W_r {@code in × heads·width}, a {@code 1 ×
 * heads·width}, out {@code destinations × heads·width}, or {@code … × width} where the heads are
 * averaged. The block's arcs must include the self-loops.
 */
public final class Gatv2Conv implements Layer {
  private final Parameter left;
  private final Parameter leftBias;
  private final Parameter right;
  private final Parameter rightBias;
  private final Gatv2Scores scores;
  private final AttentionHeads heads;
  private final Parameter bias;

  /** A layer of heads that read rows of {@code in} columns; see {@link AttentionHeads}. */
  public Gatv2Conv(Parameters parameters, int in, AttentionHeads heads) {
    this.heads = heads;
    left = parameters.weight("left", in, heads.columns());
    leftBias = parameters.zeros("left_bias", heads.columns());
    right = parameters.weight("right", in, heads.columns());
    rightBias = parameters.zeros("right_bias", heads.columns());
    scores =
        new Gatv2Scores(
            parameters.weight("attention", 1, heads.columns()), heads.layout(), heads.dropout());
    bias = parameters.zeros("bias", heads.outputColumns());
  }

  @Override
  public Value record(Recorder r, Hop hop, Value x) {
    Value l = r.epilogue(r.linear(x, left), leftBias, Activation.NONE, 0);
    Value own = r.linear(x, hop.destinations(), right);
    Value attended = r.attention(hop, l, r.epilogue(own, rightBias, Activation.NONE, 0), scores);
    return r.epilogue(heads.joined(r, attended), bias, Activation.NONE, 0);
  }
}
