package dev.heddle.comm;

import java.time.Duration;

/**
 * What holds for all connections of a group.
 *
 * @param link how fast each of them is made to be
 * @param silence after how long without a sign of life a worker counts as lost
 * @param patience how long an operation may wait for a worker that is alive
 */
public record GroupSettings(Link link, Duration silence, Duration patience) {
  /** As fast as it goes, 30 seconds of silence, 2 minutes of patience. */
  public static final GroupSettings DEFAULT =
      new GroupSettings(Link.UNLIMITED, Duration.ofSeconds(30), Duration.ofMinutes(2));

  public GroupSettings {
    if (!silence.isPositive() || !patience.isPositive()) {
      throw new IllegalArgumentException("silence and patience must be positive");
    }
  }

  public GroupSettings withLink(Link changed) {
    return new GroupSettings(changed, silence, patience);
  }

  public GroupSettings withSilence(Duration changed) {
    return new GroupSettings(link, changed, patience);
  }

  public GroupSettings withPatience(Duration changed) {
    return new GroupSettings(link, silence, changed);
  }
}
