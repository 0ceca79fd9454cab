package dev.heddle.nn;

import dev.heddle.kernel.Activation;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;
import java.util.ArrayList;
import java.util.List;

/** A network of a given description with its parameters. */
public final class Model {
  private final ModelSpec spec;
  private final Shape shape;
  private final Parameters parameters;
  private final Network network;

  private Model(ModelDescription description, Parameters parameters, Network network) {
    this.spec = description.spec();
    this.shape = description.shape();
    this.parameters = parameters;
    this.network = network;
  }

  /**
   * A freshly drawn model.
   *
   * @param shape columns that come in and go out
   */
  public static Model create(ModelSpec spec, Shape shape, Memory memory, long seed) {
    Parameters parameters = new Parameters(memory, seed);
    int in = shape.features();
    int out = shape.outputs();
    Network network =
        switch (spec.kind()) {
          case GCNII -> new Gcnii(parameters, in, out, spec);
          case RESGCN -> new ResGcn(parameters, in, out, spec);
          case SGC -> new Sgc(parameters, in, out, spec);
          case APPNP -> new Appnp(parameters, in, out, spec);
          case MLP -> new Mlp(parameters, in, out, spec);
          case GCN, SAGE, SAGE_POOL, GAT, GATV2, GIN -> stack(spec, parameters, shape);
        };
    if (spec.decayFirstLayerOnly()) {
      String first = parameters.all().getFirst().name();
      String layer = first.substring(0, first.indexOf('.') + 1);
      parameters.all().stream()
          .filter(p -> !p.name().startsWith(layer))
          .forEach(p -> p.weightDecay(0));
    }
    return new Model(new ModelDescription(spec, shape), parameters, network);
  }

  /** Columns of the input features and of the output. */
  public record Shape(int features, int outputs) {}

  private static Network stack(ModelSpec spec, Parameters parameters, Shape shape) {
    List<Layer> layers = new ArrayList<>();
    List<Norm> norms = new ArrayList<>();
    for (int l = 0; l < spec.layers(); l++) {
      boolean last = l == spec.layers() - 1;
      int in = l == 0 ? shape.features() : spec.hidden();
      int out = last ? shape.outputs() : spec.hidden();
      Parameters own = parameters.under("layer" + l);
      Layer layer =
          switch (spec.kind()) {
            case GCN -> new GcnConv(own, in, out);
            case SAGE -> new SageConv(own, in, out);
            case SAGE_POOL -> new SagePoolConv(own, in, Math.min(in, spec.hidden()), out);
            case GIN -> new GinConv(own, in, out, spec.epsilon());
            case GAT -> new GatConv(own, in, heads(spec, out, last));
            case GATV2 -> new Gatv2Conv(own, in, heads(spec, out, last));
            default -> throw new AssertionError(spec.kind());
          };
      layers.add(spec.residual() ? new Residual(layer, own, in, out) : layer);
      if (!last) {
        norms.add(Norm.of(spec.norm(), own.under("norm"), out));
      }
    }
    // Attention papers use ELU between layers, the others ReLU.
    Activation activation = spec.kind().attention() ? Activation.ELU : Activation.RELU;
    return new ConvStack(
        layers, norms, activation, new ConvStack.Dropout(spec.inputDropout(), spec.dropout()));
  }

  private static AttentionHeads heads(ModelSpec spec, int out, boolean last) {
    return last
        ? new AttentionHeads(spec.outputHeads(), out, true, spec.attentionDropout())
        : new AttentionHeads(spec.heads(), out / spec.heads(), false, spec.attentionDropout());
  }

  /** Records the computation; {@code hops} are in the order they are taken. */
  public Value record(Recorder r, List<Hop> hops, Value x) {
    return network.record(r, hops, x);
  }

  /** How many hops of message passing it takes. */
  public int hops() {
    return network.hops();
  }

  public ModelSpec spec() {
    return spec;
  }

  public Shape shape() {
    return shape;
  }

  public Parameters parameters() {
    return parameters;
  }
}
