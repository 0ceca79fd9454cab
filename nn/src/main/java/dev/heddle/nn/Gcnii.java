package dev.heddle.nn;

import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.Activation;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;
import java.util.ArrayList;
import java.util.List;

/**
 * Deep graph convolution with initial residual and identity mapping (Chen et al., "Simple and Deep
 * Graph Convolutional Networks", ICML 2020, eq. 5).
 *
 * <pre>
 *   h⁰ = relu(x W_in + b_in)
 *   s  = (1 − α) Â hˡ + α h⁰
 *   hˡ⁺¹ = relu((1 − β_l) s + β_l s W_l),   β_l = ln(λ/l + 1)
 *   out = h^L W_out + b_out
 * </pre>
 *
 * <p>Shapes: h {@code vertices × hidden}, W_l {@code hidden × hidden}. Dropout before each product
 * and aggregation, as in the paper's code.
 */
final class Gcnii implements Network {
  private final Parameter in;
  private final Parameter inBias;
  private final List<Parameter> weights = new ArrayList<>();
  private final Parameter out;
  private final Parameter outBias;
  private final ModelSpec spec;

  Gcnii(Parameters parameters, int features, int classes, ModelSpec spec) {
    this.spec = spec;
    int hidden = spec.hidden();
    in = parameters.weight("in.weight", features, hidden);
    inBias = parameters.zeros("in.bias", hidden);
    for (int l = 0; l < spec.layers(); l++) {
      weights.add(parameters.weight("layer" + l + ".weight", hidden, hidden));
    }
    out = parameters.weight("out.weight", hidden, classes);
    outBias = parameters.zeros("out.bias", classes);
  }

  @Override
  public int hops() {
    return weights.size();
  }

  @Override
  public Value record(Recorder r, List<Hop> hops, Value x) {
    Value dropped = r.dropout(x, spec.inputDropout());
    Value initial = r.epilogue(r.linear(dropped, in), inBias, Activation.RELU, 0);
    Value h = r.dropout(initial, spec.dropout());
    for (int l = 0; l < weights.size(); l++) {
      h = layer(r, hops.get(l), h, initial, l);
    }
    return r.epilogue(r.linear(h, out), outBias, Activation.NONE, 0);
  }

  private Value layer(Recorder r, Hop hop, Value h, Value initial, int index) {
    float beta = (float) Math.log(spec.lambda() / (index + 1) + 1);
    Value smoothed = r.aggregate(hop, Normalisation.SYMMETRIC, h);
    Value support = r.combine(1 - spec.alpha(), smoothed, spec.alpha(), initial);
    Value mixed = r.combine(1 - beta, support, beta, r.linear(support, weights.get(index)));
    return r.epilogue(mixed, null, Activation.RELU, spec.dropout());
  }
}
