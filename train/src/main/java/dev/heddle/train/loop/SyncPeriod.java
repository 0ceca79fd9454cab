package dev.heddle.train.loop;

import dev.heddle.train.settings.Consistency;

/**
 * How many steps lie between two comparisons of models: as many as the knob says, or first an
 * eighth of an epoch, then half as many where models diverge or a worker is late, twice as many
 * where neither, within bounds. The published system gives no formula; this one is Heddle's.
 */
final class SyncPeriod {
  /** Comparisons in an epoch, to begin with. */
  private static final int PER_EPOCH = 8;

  /** Parameters so far from their mean, by its norm, diverge; below a quarter of it they do not. */
  private static final double DIVERGED = 0.01;

  private final Consistency knob;
  private final int least;
  private int most;
  private int steps;
  private int shortest = Integer.MAX_VALUE;
  private int longest;

  /**
   * A period as the knob says.
   *
   * @param staleness comparisons are no closer than as many steps as can be under way
   */
  SyncPeriod(Consistency knob, int staleness) {
    this.knob = knob;
    least = staleness;
    if (!knob.adaptive()) {
      set(knob.steps());
    }
  }

  /** An epoch of so many steps begins. */
  void begin(int count) {
    most = Math.max(least, count);
    if (steps == 0) {
      set(Math.clamp(Math.ceilDiv(count, PER_EPOCH), least, most));
    }
  }

  int steps() {
    return steps;
  }

  int shortest() {
    return longest == 0 ? 0 : shortest;
  }

  int longest() {
    return longest;
  }

  /**
   * What the last comparison said, which all workers know alike.
   *
   * @param equal whether models were equal when all updates were made
   * @param late whether a worker kept others waiting
   */
  void compared(boolean equal, double divergence, boolean late) {
    if (!knob.adaptive()) {
      return;
    }
    if (!equal || divergence > DIVERGED || late) {
      set(Math.max(least, steps / 2));
    } else if (divergence < DIVERGED / 4) {
      set(Math.min(most, 2 * steps));
    }
  }

  private void set(int value) {
    steps = value;
    shortest = Math.min(shortest, value);
    longest = Math.max(longest, value);
  }
}
