package dev.heddle.train.pipeline;

import java.util.Locale;

/** The kinds of a thread's time; every moment is of one of them. */
public enum Time {
  /** It works. */
  BUSY,
  /** It has something to give on, and waits because the next queue is full. */
  BLOCKED,
  /** It waits for input, for rows of others, for gradients of others. */
  STARVED,
  /** It has nothing to do, between epochs. */
  IDLE;

  private static final Time[] ALL = values();

  /** As summaries and traces call it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Its place among all, which a run's workers agree on. */
  @SuppressWarnings("EnumOrdinal") // Kept nowhere: workers of a run have one version.
  int number() {
    return ordinal();
  }

  /** The one at a place. */
  static Time numbered(int number) {
    return ALL[number];
  }
}
