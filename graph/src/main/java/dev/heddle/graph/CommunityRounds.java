package dev.heddle.graph;

/**
 * How many edges are drawn for a {@link CommunityGraph}: as many as wished, and then as many more
 * as are missing because they were drawn before, until nearly all are there.
 */
final class CommunityRounds {
  private static final double ENOUGH = 0.99;
  private static final int MAX_ROUNDS = 16;

  private final long insideWanted;
  private final long outsideWanted;

  // The draws of the present round, by number.
  private long insideFrom;
  private long insideTo;
  private long outsideFrom;
  private long outsideTo;
  private int round;

  CommunityRounds(CommunityGraph settings) {
    long edges = Math.round(settings.vertices() * settings.averageDegree() / 2);
    insideWanted = Math.round(settings.homophily() * edges);
    outsideWanted = edges - insideWanted;
  }

  /** Begins a round, so many different edges having been found in those before. */
  void begin(long inside, long outside) {
    insideFrom = insideTo;
    outsideFrom = outsideTo;
    insideTo = inside == 0 ? insideWanted : insideTo + (insideWanted - inside);
    outsideTo = outside == 0 ? outsideWanted : outsideTo + (outsideWanted - outside);
    round++;
  }

  boolean enough(long inside, long outside) {
    return (inside >= ENOUGH * insideWanted && outside >= ENOUGH * outsideWanted)
        || round == MAX_ROUNDS;
  }

  /** Draws of this round. */
  long size() {
    return insideTo - insideFrom + (outsideTo - outsideFrom);
  }

  /** Draws number {@code i} of this round; those inside communities come first. */
  void draw(CommunityEdges edges, long i) {
    long inside = insideTo - insideFrom;
    if (i < inside) {
      edges.drawInside(insideFrom + i);
    } else {
      edges.drawOutside(outsideFrom + (i - inside));
    }
  }
}
