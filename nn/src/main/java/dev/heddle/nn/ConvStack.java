package dev.heddle.nn;

import dev.heddle.kernel.Activation;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;
import java.util.ArrayList;
import java.util.List;

/**
 * Convolutions one after another: {@code dropout → conv → norm → activation} for all but the last,
 * which is bare after its dropout.
 */
final class ConvStack implements Network {
  private final List<Layer> layers;
  private final List<Norm> norms;
  private final Activation activation;
  private final Dropout dropout;

  /** What is dropped: a share of the input features, and of each hidden layer. */
  record Dropout(float input, float hidden) {}

  ConvStack(List<Layer> layers, List<Norm> norms, Activation activation, Dropout dropout) {
    this.layers = new ArrayList<>(layers);
    this.norms = new ArrayList<>(norms);
    this.activation = activation;
    this.dropout = dropout;
  }

  @Override
  public int hops() {
    return layers.size();
  }

  @Override
  public Value record(Recorder r, List<Hop> hops, Value x) {
    Value h = r.dropout(x, dropout.input());
    for (int i = 0; i < layers.size(); i++) {
      h = layers.get(i).record(r, hops.get(i), h);
      if (i < layers.size() - 1) {
        h = r.epilogue(norms.get(i).record(r, h), null, activation, dropout.hidden());
      }
    }
    return h;
  }
}
