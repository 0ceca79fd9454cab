package dev.heddle.nn;

import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.Activation;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;

/**
 * Graph convolution (Kipf & Welling, "Semi-Supervised Classification with Graph Convolutional
 * Networks", ICLR 2017).
 *
 * <pre>
 *   out = Â x W + b,   Â = D^-½ (A + I) D^-½
 * </pre>
 *
 * <p>Shapes: x {@code sources × in}, W {@code in × out}, b {@code 1 × out}, out {@code destinations
 * × out}. The block's arcs must include the self-loops.
 */
public final class GcnConv implements Layer {
  private final Parameter weight;
  private final Parameter bias;

  public GcnConv(Parameters parameters, int in, int out) {
    weight = parameters.weight("weight", in, out);
    bias = parameters.zeros("bias", out);
  }

  @Override
  public Value record(Recorder r, Hop hop, Value x) {
    Value convolved = r.convolve(hop, Normalisation.SYMMETRIC, x, new Recorder.Maps(weight, null));
    return r.epilogue(convolved, bias, Activation.NONE, 0);
  }
}
