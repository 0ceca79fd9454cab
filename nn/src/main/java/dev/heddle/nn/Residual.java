package dev.heddle.nn;

import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;

/**
 * A convolution with a linear residual connection, so that a vertex's own row survives depth and
 * degree (as in Luo, Shi & Wu, "Classic GNNs are Strong Baselines", NeurIPS 2024).
 *
 * <pre>
 *   out = conv(x) + x_v W
 * </pre>
 *
 * <p>Shapes: W {@code in × out}, so that it fits layers which change the width.
 */
final class Residual implements Layer {
  private final Layer convolution;
  private final Parameter weight;

  Residual(Layer convolution, Parameters parameters, int in, int out) {
    this.convolution = convolution;
    weight = parameters.weight("residual", in, out);
  }

  @Override
  public Value record(Recorder r, Hop hop, Value x) {
    return r.linearOnto(x, weight, convolution.record(r, hop, x));
  }
}
