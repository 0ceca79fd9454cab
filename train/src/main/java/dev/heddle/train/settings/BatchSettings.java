package dev.heddle.train.settings;

import dev.heddle.graph.sample.SampleSettings;
import org.jspecify.annotations.Nullable;

/**
 * Training in batches: how many vertices a step learns from, and what it sees around them.
 *
 * @param size training vertices in every batch but perhaps the last
 * @param ahead whether the next batch is sampled and fetched while this one is trained on; what
 *     comes out is the same
 * @param aggregatedInputs whether the first aggregation is computed once, over all neighbours, and
 *     the last hop is never sampled
 * @param split how several workers share a batch; null where each learns from its own seeds alone
 */
public record BatchSettings(
    int size,
    SampleSettings sampling,
    boolean ahead,
    boolean aggregatedInputs,
    @Nullable BatchSplit split) {
  public BatchSettings {
    if (size < 1) {
      throw new IllegalArgumentException("a batch has at least 1 vertex, not " + size);
    }
  }

  /** Batches of which each worker learns from its own seeds. */
  public BatchSettings(
      int size, SampleSettings sampling, boolean ahead, boolean aggregatedInputs) {
    this(size, sampling, ahead, aggregatedInputs, null);
  }

  /** Batches of some size, sampled as the settings say. */
  public static BatchSettings of(int size, SampleSettings sampling) {
    return new BatchSettings(size, sampling, false, false);
  }

  public BatchSettings withAhead(boolean value) {
    return new BatchSettings(size, sampling, value, aggregatedInputs, split);
  }

  public BatchSettings withAggregatedInputs(boolean value) {
    return new BatchSettings(size, sampling, ahead, value, split);
  }

  /** These settings with batches that workers share as is said. */
  public BatchSettings withSplit(@Nullable BatchSplit value) {
    return new BatchSettings(size, sampling, ahead, aggregatedInputs, value);
  }

  /** These settings without the last hop. */
  public BatchSettings withoutLastHop() {
    var fanouts = sampling.fanouts().subList(0, sampling.hops() - 1);
    return new BatchSettings(
        size,
        new SampleSettings(sampling.kind(), fanouts, sampling.replace(), sampling.byWeight()),
        ahead,
        aggregatedInputs,
        split);
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
        + (aggregatedInputs ? " aggregated" : "")
        + (split == null ? "" : " " + split.identity());
  }
}
