package dev.heddle.train.settings;

import java.util.Locale;

/** How long the queues between a worker's stages are. */
public enum Queues {
  /** There are none but what {@link Fetch#ahead} loads. */
  OFF;

  /** The name users write. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
