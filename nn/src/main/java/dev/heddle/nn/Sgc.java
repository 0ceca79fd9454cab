package dev.heddle.nn;

import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.Activation;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;
import java.util.List;

/**
 * Simplified graph convolution (Wu et al., "Simplifying Graph Convolutional Networks", ICML 2019).
 *
 * <pre>
 *   out = Â^K x W + b
 * </pre>
 *
 * <p>Shapes: x {@code vertices × in}, W {@code in × classes}. With dense features Â^K x is constant
 * and computed once; sparse ones are mapped first, so that they stay sparse. One section: whether
 * its hops come before the product or after it depends on what comes in.
 */
final class Sgc implements Section {
  private final Parameter weight;
  private final Parameter bias;
  private final ModelSpec spec;

  Sgc(Parameters parameters, Model.Shape shape, ModelSpec spec) {
    this.spec = spec;
    weight = parameters.weight("weight", shape.features(), shape.outputs());
    bias = parameters.zeros("bias", shape.outputs());
  }

  @Override
  public int hops() {
    return spec.layers();
  }

  @Override
  public Flow record(Recorder r, List<Hop> hops, Flow in) {
    Value x = in.rows();
    Value input = r.dropout(x, spec.inputDropout());
    boolean smoothFirst =
        x.sparse() == null && (r.foldsAggregationOf(input) || x.cols() < weight.value().cols());
    Value out =
        smoothFirst
            ? r.linear(smoothed(r, hops, input), weight)
            : smoothed(r, hops, r.linear(input, weight));
    return Flow.of(r.epilogue(out, bias, Activation.NONE, 0));
  }

  private static Value smoothed(Recorder r, List<Hop> hops, Value x) {
    Value h = x;
    for (Hop hop : hops) {
      h = r.aggregate(hop, Normalisation.SYMMETRIC, h);
    }
    return h;
  }
}
