package dev.heddle.nn;

import dev.heddle.kernel.Activation;
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
 * <p>Shapes: h {@code vertices × hidden}. Sections: the map in, each layer, and the map out.
 */
final class ResGcn {
  private ResGcn() {}

  static List<Section> sections(Parameters parameters, Model.Shape shape, ModelSpec spec) {
    int hidden = spec.hidden();
    List<Section> sections = new ArrayList<>();
    Parameter in = parameters.weight("in.weight", shape.features(), hidden);
    Parameter inBias = parameters.zeros("in.bias", hidden);
    sections.add(
        Section.of((r, x) -> {
          Value dropped = r.dropout(x, spec.inputDropout());
          return r.epilogue(r.linear(dropped, in), inBias, Activation.NONE, 0);
        }));
    for (int l = 0; l < spec.layers(); l++) {
      Parameters layer = parameters.under("layer" + l);
      Norm norm = Norm.of(NormKind.LAYER, layer.under("norm"), hidden);
      SageConv conv = new SageConv(layer, hidden, hidden);
      sections.add(
          Section.of(
              (r, hop, h) -> r.combine(1, conv.record(r, hop, activated(r, norm, h, spec)), 1, h)));
    }
    Norm norm = Norm.of(NormKind.LAYER, parameters.under("norm"), hidden);
    Parameter out = parameters.weight("out.weight", hidden, shape.outputs());
    Parameter outBias = parameters.zeros("out.bias", shape.outputs());
    sections.add(
        Section.of((r, h) ->
            r.epilogue(r.linear(activated(r, norm, h, spec), out), outBias, Activation.NONE, 0)));
    return sections;
  }

  private static Value activated(Recorder r, Norm norm, Value h, ModelSpec spec) {
    return r.epilogue(norm.record(r, h), null, Activation.RELU, spec.dropout());
  }
}
