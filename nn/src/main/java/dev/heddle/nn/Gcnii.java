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
 * and aggregation, as in the paper's code. Sections: the map in, which makes h⁰, each layer, and
 * the map out.
 */
final class Gcnii {
  private Gcnii() {}

  static List<Section> sections(Parameters parameters, Model.Shape shape, ModelSpec spec) {
    int hidden = spec.hidden();
    List<Section> sections = new ArrayList<>();
    sections.add(
        new In(
            parameters.weight("in.weight", shape.features(), hidden),
            parameters.zeros("in.bias", hidden),
            spec));
    for (int l = 0; l < spec.layers(); l++) {
      sections.add(
          new Convolution(parameters.weight("layer" + l + ".weight", hidden, hidden), l, spec));
    }
    Parameter weight = parameters.weight("out.weight", hidden, shape.outputs());
    Parameter bias = parameters.zeros("out.bias", shape.outputs());
    sections.add(Section.of((r, h) -> r.epilogue(r.linear(h, weight), bias, Activation.NONE, 0)));
    return sections;
  }

  private record In(Parameter weight, Parameter bias, ModelSpec spec) implements Section {
    @Override
    public int hops() {
      return 0;
    }

    @Override
    public Flow record(Recorder r, List<Hop> hops, Flow in) {
      Value dropped = r.dropout(in.rows(), spec.inputDropout());
      Value initial = r.epilogue(r.linear(dropped, weight), bias, Activation.RELU, 0);
      return new Flow(r.dropout(initial, spec.dropout()), initial);
    }
  }

  /**
   * One layer.
   *
   * @param index from 0
   */
  private record Convolution(Parameter weight, int index, ModelSpec spec) implements Section {
    @Override
    public int hops() {
      return 1;
    }

    @Override
    public Flow record(Recorder r, List<Hop> hops, Flow in) {
      float beta = (float) Math.log(spec.lambda() / (index + 1) + 1);
      Value smoothed = r.aggregate(hops.getFirst(), Normalisation.SYMMETRIC, in.rows());
      Value support = r.combine(1 - spec.alpha(), smoothed, spec.alpha(), in.start());
      Value mixed = r.combine(1 - beta, support, beta, r.linear(support, weight));
      Value h = r.epilogue(mixed, null, Activation.RELU, spec.dropout());
      boolean last = index == spec.layers() - 1;
      return last ? Flow.of(h) : new Flow(h, in.start());
    }
  }
}
