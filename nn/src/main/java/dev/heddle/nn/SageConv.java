package dev.heddle.nn;

import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.Activation;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;

/**
 * GraphSAGE with the mean aggregator (Hamilton, Ying & Leskovec, "Inductive Representation Learning
 * on Large Graphs", NeurIPS 2017).
 *
 * <pre>
 *   out_v = x_v W_self + mean_{u→v} x_u W_nbr + b
 * </pre>
 *
 * <p>Shapes: x {@code sources × in}, both W {@code in × out}, b {@code 1 × out}, out {@code
 * destinations × out}. Two products instead of one on a concatenation, which is never made. A
 * vertex without in-arcs has a mean of zero.
 */
public final class SageConv implements Layer {
  private final Parameter self;
  private final Parameter neighbours;
  private final Parameter bias;

  public SageConv(Parameters parameters, int in, int out) {
    self = parameters.weight("self", in, out);
    neighbours = parameters.weight("neighbours", in, out);
    bias = parameters.zeros("bias", out);
  }

  @Override
  public Value record(Recorder r, Hop hop, Value x) {
    Value sum = r.convolve(hop, Normalisation.MEAN, x, new Recorder.Maps(neighbours, self));
    return r.epilogue(sum, bias, Activation.NONE, 0);
  }
}
