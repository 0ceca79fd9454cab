package dev.heddle.nn;

import dev.heddle.kernel.Activation;
import java.util.ArrayList;
import java.util.List;

/**
 * A multi-layer perceptron that sees no arcs: the baseline every graph network has to beat.
 *
 * <pre>
 *   hˡ⁺¹ = dropout(relu(norm(hˡ W_l + b_l))),   out = h^L W_L + b_L
 * </pre>
 *
 * <p>A section for each linear map.
 */
final class Mlp {
  private Mlp() {}

  static List<Section> sections(Parameters parameters, Model.Shape shape, ModelSpec spec) {
    List<Section> sections = new ArrayList<>();
    for (int l = 0; l < spec.layers(); l++) {
      boolean last = l == spec.layers() - 1;
      int in = l == 0 ? shape.features() : spec.hidden();
      int out = last ? shape.outputs() : spec.hidden();
      Parameters own = parameters.under("layer" + l);
      Parameter weight = own.weight("weight", in, out);
      Parameter bias = own.zeros("bias", out);
      float dropped = l == 0 ? spec.inputDropout() : 0;
      Section.RowMap map =
          (r, x) -> r.epilogue(r.linear(r.dropout(x, dropped), weight), bias, Activation.NONE, 0);
      sections.add(Section.of(last ? map : activated(map, own, out, spec)));
    }
    return sections;
  }

  private static Section.RowMap activated(
      Section.RowMap map, Parameters own, int cols, ModelSpec spec) {
    Norm norm = Norm.of(spec.norm(), own.under("norm"), cols);
    return (r, x) ->
        r.epilogue(norm.record(r, map.record(r, x)), null, Activation.RELU, spec.dropout());
  }
}
