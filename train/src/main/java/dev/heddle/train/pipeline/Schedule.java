package dev.heddle.train.pipeline;

/**
 * Which items there are: those of epochs that were begun, and of epochs that are sure to follow.
 * Items are counted through all epochs. Guarded by the pipeline's {@link Flow}.
 */
final class Schedule {
  private final int perEpoch;
  private long begun;
  private long expected;
  private int firstEpoch;
  private long firstItem;
  private int lastEpoch;
  private boolean inEpoch;
  private long end = Long.MAX_VALUE;

  Schedule(int perEpoch) {
    this.perEpoch = perEpoch;
  }

  int perEpoch() {
    return perEpoch;
  }

  /** Epochs up to this one will follow one another. */
  void expect(int last) {
    lastEpoch = last;
  }

  /**
   * Begins an epoch.
   *
   * @param ahead whether anyone can work ahead, into epochs that are expected
   */
  void begin(int epoch, boolean ahead) {
    if (begun == expected) {
      firstEpoch = epoch;
      firstItem = begun;
      boolean goesOn = ahead && lastEpoch > epoch;
      expected += goesOn ? (long) perEpoch * (lastEpoch - epoch + 1) : perEpoch;
    } else if (epoch != epochOf(begun)) {
      throw new IllegalStateException(
          "epoch " + epochOf(begun) + " is worked on ahead, not " + epoch);
    }
    begun += perEpoch;
    inEpoch = true;
  }

  /** The epoch is at its end; the next may come much later. */
  void endEpoch() {
    inEpoch = false;
  }

  /** Whether there is an epoch for which someone waits. */
  boolean inEpoch() {
    return inEpoch;
  }

  /** There will be no more than so many items. */
  void endAt(long items) {
    end = items;
  }

  /** Whether there will be no more epochs. */
  boolean isEnding() {
    return end != Long.MAX_VALUE;
  }

  /** Items of epochs that were begun. */
  long begun() {
    return begun;
  }

  /** How many items a stage may work on by now. */
  long limit(boolean ahead) {
    return Math.min(end, ahead ? expected : begun);
  }

  int epochOf(long item) {
    return firstEpoch + Math.toIntExact((item - firstItem) / perEpoch);
  }

  int itemOf(long item) {
    return (int) ((item - firstItem) % perEpoch);
  }
}
