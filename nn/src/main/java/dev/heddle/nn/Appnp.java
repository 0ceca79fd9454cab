package dev.heddle.nn;

import dev.heddle.graph.Normalisation;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;
import java.util.List;

/**
 * Personalised propagation of neural predictions (Gasteiger, Bojchevski & Günnemann, "Predict then
 * Propagate", ICLR 2019, eq. 5).
 *
 * <pre>
 *   h = MLP(x),   z⁰ = h,   zᵏ⁺¹ = (1 − α) Â zᵏ + α h,   out = z^K
 * </pre>
 *
 * <p>Shapes: h and z {@code vertices × classes}.
 */
final class Appnp implements Network {
  private final Mlp mlp;
  private final ModelSpec spec;

  Appnp(Parameters parameters, int features, int classes, ModelSpec spec) {
    this.spec = spec;
    mlp = new Mlp(parameters, features, classes, spec);
  }

  @Override
  public int hops() {
    return spec.propagations();
  }

  @Override
  public Value record(Recorder r, List<Hop> hops, Value x) {
    Value h = mlp.record(r, List.of(), x);
    Value z = h;
    for (Hop hop : hops) {
      z =
          r.combine(
              1 - spec.alpha(), r.aggregate(hop, Normalisation.SYMMETRIC, z), spec.alpha(), h);
    }
    return z;
  }
}
