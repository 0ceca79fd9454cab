package dev.heddle.train.run;

import java.util.List;

/**
 * What training came to.
 *
 * @param bestEpoch the epoch with the best validation score, counted from 1
 * @param scores the metric at that epoch
 * @param epochs all epochs in order
 */
public record TrainResult(int bestEpoch, Scores scores, List<EpochReport> epochs) {
  public TrainResult {
    epochs = List.copyOf(epochs);
  }

  public double train() {
    return scores.train();
  }

  public double valid() {
    return scores.valid();
  }

  public double test() {
    return scores.test();
  }

  /** The training loss of the last epoch. */
  public double loss() {
    return epochs.getLast().loss();
  }

  /** The middle one of durations in the later half of epochs: by then code is compiled. */
  public double medianEpochSeconds() {
    List<Double> sorted =
        epochs.stream().skip(epochs.size() / 2).map(EpochReport::seconds).sorted().toList();
    return sorted.get(sorted.size() / 2);
  }
}
