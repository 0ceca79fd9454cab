package dev.heddle.nn;

import dev.heddle.kernel.Activation;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;
import java.util.ArrayList;
import java.util.List;

/**
 * Convolutions one after another: {@code dropout → conv → norm → activation} for all but the last,
 * which is bare after its dropout. A section each, with the dropout of the layer after it.
 */
final class ConvStack {
  private ConvStack() {}

  static List<Section> sections(
      ModelKind kind, Parameters parameters, Model.Shape shape, ModelSpec spec) {
    // Attention papers use ELU between layers, the others ReLU.
    Activation activation = kind.attention() ? Activation.ELU : Activation.RELU;
    List<Section> sections = new ArrayList<>();
    for (int l = 0; l < spec.layers(); l++) {
      boolean last = l == spec.layers() - 1;
      int in = l == 0 ? shape.features() : spec.hidden();
      int out = last ? shape.outputs() : spec.hidden();
      Parameters own = parameters.under("layer" + l);
      Layer layer =
          switch (kind) {
            case GCN -> new GcnConv(own, in, out);
            case SAGE -> new SageConv(own, in, out);
            case SAGE_POOL -> new SagePoolConv(own, in, Math.min(in, spec.hidden()), out);
            case GIN -> new GinConv(own, in, out, spec.epsilon());
            case GAT -> new GatConv(own, in, heads(spec, out, last));
            case GATV2 -> new Gatv2Conv(own, in, heads(spec, out, last));
            case GCNII, RESGCN, SGC, APPNP, MLP -> throw new AssertionError(kind);
          };
      if (spec.residual()) {
        layer = new Residual(layer, own, in, out);
      }
      if (!last) {
        Norm norm = Norm.of(spec.norm(), own.under("norm"), out);
        layer = new Activated(layer, norm, activation, spec.dropout());
      }
      sections.add(Section.of(l == 0 ? new Dropped(spec.inputDropout(), layer) : layer));
    }
    return sections;
  }

  private static AttentionHeads heads(ModelSpec spec, int out, boolean last) {
    return last
        ? new AttentionHeads(spec.outputHeads(), out, true, spec.attentionDropout())
        : new AttentionHeads(spec.heads(), out / spec.heads(), false, spec.attentionDropout());
  }

  /** A layer on input of which a share is dropped. */
  private record Dropped(float rate, Layer layer) implements Layer {
    @Override
    public Value record(Recorder r, Hop hop, Value x) {
      return layer.record(r, hop, r.dropout(x, rate));
    }
  }

  /** A hidden layer. */
  private record Activated(Layer layer, Norm norm, Activation activation, float dropout)
      implements Layer {
    @Override
    public Value record(Recorder r, Hop hop, Value x) {
      return r.epilogue(norm.record(r, layer.record(r, hop, x)), null, activation, dropout);
    }
  }
}
