package dev.heddle.nn;

import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.Activation;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;

/**
 * Graph isomorphism layer (Xu et al., "How Powerful are Graph Neural Networks?", ICLR 2019, eq. 4).
 *
 * <pre>
 *   out_v = relu(((1 + ε) x_v + Σ_{u→v} x_u) W_1 + b_1) W_2 + b_2
 * </pre>
 *
 * <p>Shapes: x {@code sources × in}, W_1 {@code in × out}, W_2 {@code out × out}, out {@code
 * destinations × out}. ε is given, not learnt. The sum and W_1 commute; the narrower comes first.
 */
public final class GinConv implements Layer {
  private final Parameter first;
  private final Parameter firstBias;
  private final Parameter second;
  private final Parameter secondBias;
  private final float epsilon;

  public GinConv(Parameters parameters, int in, int out, float epsilon) {
    first = parameters.weight("first", in, out);
    firstBias = parameters.zeros("first_bias", out);
    second = parameters.weight("second", out, out);
    secondBias = parameters.zeros("second_bias", out);
    this.epsilon = epsilon;
  }

  @Override
  public Value record(Recorder r, Hop hop, Value x) {
    boolean sumFirst =
        x.sparse() == null && (r.foldsAggregationOf(x) || x.cols() < first.value().cols());
    Value hidden = sumFirst ? r.linear(sum(r, hop, x), first) : sum(r, hop, r.linear(x, first));
    hidden = r.epilogue(hidden, firstBias, Activation.RELU, 0);
    return r.epilogue(r.linear(hidden, second), secondBias, Activation.NONE, 0);
  }

  private Value sum(Recorder r, Hop hop, Value x) {
    return r.combine(1, r.aggregate(hop, Normalisation.SUM, x), 1 + epsilon, x);
  }
}
