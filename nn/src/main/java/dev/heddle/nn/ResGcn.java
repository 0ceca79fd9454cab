package dev.heddle.nn;

import dev.heddle.kernel.Activation;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;
import java.util.ArrayList;
import java.util.List;

/**
 * Deep residual convolution, ResGCN+ (Li et al., "DeeperGCN: All You Need to Train Deeper GCNs",
 * 2020), around a GraphSAGE convolution as GNNPipe trains it.
 *
 * <pre>
 *   h⁰ = x W_in + b_in
 *   hˡ⁺¹ = hˡ + SAGE(dropout(relu(LayerNorm(hˡ))))
 *   out = dropout(relu(LayerNorm(h^L))) W_out + b_out
 * </pre>
 *
 * <p>Shapes: h {@code vertices × hidden}.
 */
final class ResGcn implements Network {
  private final Parameter in;
  private final Parameter inBias;
  private final List<Norm> norms = new ArrayList<>();
  private final List<SageConv> convs = new ArrayList<>();
  private final Parameter out;
  private final Parameter outBias;
  private final ModelSpec spec;

  ResGcn(Parameters parameters, int features, int classes, ModelSpec spec) {
    this.spec = spec;
    int hidden = spec.hidden();
    in = parameters.weight("in.weight", features, hidden);
    inBias = parameters.zeros("in.bias", hidden);
    for (int l = 0; l < spec.layers(); l++) {
      Parameters layer = parameters.under("layer" + l);
      norms.add(Norm.of(NormKind.LAYER, layer.under("norm"), hidden));
      convs.add(new SageConv(layer, hidden, hidden));
    }
    norms.add(Norm.of(NormKind.LAYER, parameters.under("norm"), hidden));
    out = parameters.weight("out.weight", hidden, classes);
    outBias = parameters.zeros("out.bias", classes);
  }

  @Override
  public int hops() {
    return convs.size();
  }

  @Override
  public Value record(Recorder r, List<Hop> hops, Value x) {
    Value dropped = r.dropout(x, spec.inputDropout());
    Value h = r.epilogue(r.linear(dropped, in), inBias, Activation.NONE, 0);
    for (int l = 0; l < convs.size(); l++) {
      h = r.combine(1, convs.get(l).record(r, hops.get(l), activated(r, h, l)), 1, h);
    }
    return r.epilogue(r.linear(activated(r, h, convs.size()), out), outBias, Activation.NONE, 0);
  }

  private Value activated(Recorder r, Value h, int norm) {
    return r.epilogue(norms.get(norm).record(r, h), null, Activation.RELU, spec.dropout());
  }
}
