package dev.heddle.nn;

import dev.heddle.kernel.Activation;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;
import java.util.ArrayList;
import java.util.List;

/**
 * A multi-layer perceptron that sees no arcs: the baseline every graph network has to beat.
 *
 * <pre>
 *   hˡ⁺¹ = dropout(relu(norm(hˡ W_l + b_l))),   out = h^L W_L + b_L
 * </pre>
 */
final class Mlp implements Network {
  private final List<Parameter> weights = new ArrayList<>();
  private final List<Parameter> biases = new ArrayList<>();
  private final List<Norm> norms = new ArrayList<>();
  private final ModelSpec spec;

  Mlp(Parameters parameters, int features, int classes, ModelSpec spec) {
    this.spec = spec;
    for (int l = 0; l < spec.layers(); l++) {
      boolean last = l == spec.layers() - 1;
      int in = l == 0 ? features : spec.hidden();
      int out = last ? classes : spec.hidden();
      Parameters layer = parameters.under("layer" + l);
      weights.add(layer.weight("weight", in, out));
      biases.add(layer.zeros("bias", out));
      if (!last) {
        norms.add(Norm.of(spec.norm(), layer.under("norm"), out));
      }
    }
  }

  @Override
  public int hops() {
    return 0;
  }

  @Override
  public Value record(Recorder r, List<Hop> hops, Value x) {
    Value h = r.dropout(x, spec.inputDropout());
    for (int l = 0; l < weights.size(); l++) {
      h = r.epilogue(r.linear(h, weights.get(l)), biases.get(l), Activation.NONE, 0);
      if (l < norms.size()) {
        h = r.epilogue(norms.get(l).record(r, h), null, Activation.RELU, spec.dropout());
      }
    }
    return h;
  }
}
