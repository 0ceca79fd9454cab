package dev.heddle.graph;

import dev.heddle.kernel.Draws;

/** What draws of a {@link CommunityGraph} are for; each has keys of its own. */
enum CommunityPurpose {
  // The numbers never change.
  DEGREE(1),
  INSIDE(2),
  OUTSIDE(3),
  IDS(4),
  SPLIT(5),
  CENTRE(6),
  NOISE(7),
  WORDS(8),
  CLUSTERS(9);

  private final int number;

  CommunityPurpose(int number) {
    this.number = number;
  }

  long key(CommunityGraph settings) {
    return Draws.key(Draws.Domain.GENERATE, settings.seed(), 0, 0, number);
  }
}
