package dev.heddle.train.run;

import org.jspecify.annotations.Nullable;

/**
 * What one epoch came to.
 *
 * @param epoch counted from 1
 * @param loss the training loss, per training vertex
 * @param seconds forward, backward and update, without evaluation
 * @param scores the metric after the epoch, if it was measured
 */
public record EpochReport(int epoch, double loss, double seconds, @Nullable Scores scores) {
  public EpochReport with(Scores measured) {
    return new EpochReport(epoch, loss, seconds, measured);
  }
}
