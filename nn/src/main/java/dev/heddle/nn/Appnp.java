package dev.heddle.nn;

import dev.heddle.graph.Normalisation;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;
import java.util.ArrayList;
import java.util.List;

/**
 * Personalised propagation of neural predictions (Gasteiger, Bojchevski & Günnemann, "Predict then
 * Propagate", ICLR 2019, eq. 5).
 *
 * <pre>
 *   h = MLP(x),   z⁰ = h,   zᵏ⁺¹ = (1 − α) Â zᵏ + α h,   out = z^K
 * </pre>
 *
 * <p>Shapes: h and z {@code vertices × classes}. Sections: those of the MLP, and each step.
 */
final class Appnp {
  private Appnp() {}

  static List<Section> sections(Parameters parameters, Model.Shape shape, ModelSpec spec) {
    List<Section> sections = new ArrayList<>(Mlp.sections(parameters, shape, spec));
    for (int k = 1; k <= spec.propagations(); k++) {
      sections.add(new Propagation(spec.alpha(), k == spec.propagations()));
    }
    return sections;
  }

  /** One step; the first finds h in the rows that it gets. */
  private record Propagation(float alpha, boolean last) implements Section {
    @Override
    public int hops() {
      return 1;
    }

    @Override
    public Flow record(Recorder r, List<Hop> hops, Flow in) {
      Value smoothed = r.aggregate(hops.getFirst(), Normalisation.SYMMETRIC, in.rows());
      Value z = r.combine(1 - alpha, smoothed, alpha, in.start());
      return last ? Flow.of(z) : new Flow(z, in.start());
    }
  }
}
