package dev.heddle.train.settings;

import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.nn.ModelSpec;

/**
 * Training in batches: how many vertices a step learns from, and what it sees around them. How
 * batches come to a worker is a knob, {@link Fetch}.
 *
 * @param size training vertices in every batch but perhaps the last
 */
public record BatchSettings(int size, SampleSettings sampling) {
  public BatchSettings {
    if (size < 1) {
      throw new IllegalArgumentException("a batch has at least 1 vertex, not " + size);
    }
  }

  /**
   * Whether a model begins by summing the features of sampled neighbours, with nothing learnt or
   * dropped before: then that sum can be made while a batch's input is gathered, or once for all.
   */
  public boolean sumsInput(ModelSpec model, boolean sparse) {
    return !sparse
        && !sampling.kind().induced()
        && model.kind().aggregatesFeatures()
        && model.inputDropout() == 0;
  }

  /** These settings without the last hop. */
  public BatchSettings withoutLastHop() {
    return new BatchSettings(size, sampling.first(sampling.hops() - 1));
  }

  /** What decides the bits that come out. */
  String identity() {
    return size
        + " "
        + sampling.kind()
        + " "
        + sampling.fanouts()
        + (sampling.replace() ? " replace" : "")
        + (sampling.byWeight() ? " by-weight" : "")
        + (sampling.layer().flat() ? " flat" : "")
        + (sampling.layer().debias() ? " debias" : "")
        + (sampling.kappa() > 1 ? " kappa " + sampling.kappa() : "");
  }
}
