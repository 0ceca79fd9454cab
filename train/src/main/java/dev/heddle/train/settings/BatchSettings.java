package dev.heddle.train.settings;

import dev.heddle.graph.sample.SampleSettings;

/**
 * Training in batches: how many vertices a step learns from, and what it sees around them.
 *
 * @param size training vertices in every batch but perhaps the last
 * @param ahead whether the next batch is sampled and fetched while this one is trained on; what
 *     comes out is the same
 * @param aggregatedInputs whether the first aggregation is computed once, over all neighbours, and
 *     the last hop is never sampled
 */
public record BatchSettings(
    int size, SampleSettings sampling, boolean ahead, boolean aggregatedInputs) {
  public BatchSettings {
    if (size < 1) {
      throw new IllegalArgumentException("a batch has at least 1 vertex, not " + size);
    }
  }

  /** Batches of some size, sampled as the settings say. */
  public static BatchSettings of(int size, SampleSettings sampling) {
    return new BatchSettings(size, sampling, false, false);
  }

  public BatchSettings withAhead(boolean value) {
    return new BatchSettings(size, sampling, value, aggregatedInputs);
  }

  public BatchSettings withAggregatedInputs(boolean value) {
    return new BatchSettings(size, sampling, ahead, value);
  }

  /** These settings without the last hop. */
  public BatchSettings withoutLastHop() {
    var fanouts = sampling.fanouts().subList(0, sampling.hops() - 1);
    return new BatchSettings(
        size,
        new SampleSettings(sampling.kind(), fanouts, sampling.replace(), sampling.byWeight()),
        ahead,
        aggregatedInputs);
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
        + (aggregatedInputs ? " aggregated" : "");
  }
}
