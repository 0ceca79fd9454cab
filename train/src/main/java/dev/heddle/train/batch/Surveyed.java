package dev.heddle.train.batch;

import dev.heddle.comm.Kind;
import dev.heddle.comm.Sent;
import dev.heddle.graph.sample.SeedOrder;

/**
 * What one worker sent while some batches were loaded.
 *
 * @param own seeds of these batches that are the worker's
 * @param all seeds of these batches
 * @param rounds in which they were loaded
 */
record Surveyed(Sent sent, long own, long all, int rounds) {
  /**
   * What the worker sends in an epoch of which these were the first batches: it asks for the sake
   * of its own seeds and answers for the sake of others', and messages are as many in every round.
   */
  Sent ofEpoch(SeedOrder seeds, int roundsOfEpoch) {
    long ownOfEpoch = 0;
    for (int batch = 0; batch < seeds.batches(); batch++) {
      ownOfEpoch += seeds.count(batch);
    }
    double asking = ratio(ownOfEpoch, own);
    double answering = ratio(seeds.size() - ownOfEpoch, all - own);
    double messages = ratio(roundsOfEpoch, rounds);
    Sent epoch = Sent.NOTHING;
    for (Kind kind : new Kind[] {Kind.SAMPLE_REQUEST, Kind.FEATURE_REQUEST}) {
      epoch = epoch.plus(kind, times(sent.of(kind), asking, messages));
    }
    for (Kind kind : new Kind[] {Kind.SAMPLE, Kind.FEATURE}) {
      epoch = epoch.plus(kind, times(sent.of(kind), answering, messages));
    }
    return epoch;
  }

  /** Who had no seeds is taken to send as much as in these batches, every time. */
  private double ratio(long ofEpoch, long surveyed) {
    return surveyed == 0 ? 1 : (double) ofEpoch / surveyed;
  }

  private static Sent.Amount times(Sent.Amount amount, double bytes, double messages) {
    return new Sent.Amount(
        Math.round(bytes * amount.bytes()), Math.round(messages * amount.messages()));
  }
}
