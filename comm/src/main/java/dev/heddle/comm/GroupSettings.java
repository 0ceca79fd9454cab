package dev.heddle.comm;

import java.time.Duration;

/**
 * What holds for all connections of a group.
 *
 * @param links how fast each of them is made to be
 * @param silence after how long without a sign of life a worker counts as lost
 * @param patience how long an operation may wait for a worker that is alive
 */
public record GroupSettings(Links links, Duration silence, Duration patience) {
  /** As fast as it goes, 30 seconds of silence, 2 minutes of patience. */
  public static final GroupSettings DEFAULT =
      new GroupSettings(Links.UNLIMITED, Duration.ofSeconds(30), Duration.ofMinutes(2));

  public GroupSettings {
    if (!silence.isPositive() || !patience.isPositive()) {
      throw new IllegalArgumentException("silence and patience must be positive");
    }
  }

  /** All links are alike. */
  public GroupSettings withLink(Link changed) {
    return withLinks(Links.all(changed));
  }

  public GroupSettings withLinks(Links changed) {
    return new GroupSettings(changed, silence, patience);
  }

  public GroupSettings withSilence(Duration changed) {
    return new GroupSettings(links, changed, patience);
  }

  public GroupSettings withPatience(Duration changed) {
    return new GroupSettings(links, silence, changed);
  }
}
