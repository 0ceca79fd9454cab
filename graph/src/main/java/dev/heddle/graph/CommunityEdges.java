package dev.heddle.graph;

import dev.heddle.kernel.Draws;

/**
 * Draws the edges of a {@link CommunityGraph} one by one; an edge depends on its number alone.
 *
 * <p>Vertices are numbered community by community.
 */
final class CommunityEdges {
  private final AliasTables insideCommunities;
  private final AliasTables insideMembers;
  private final AliasTables outsideCommunities;
  private final AliasTables outsideMembers;
  private final long insideKey;
  private final long outsideKey;

  /** The edge drawn last. */
  private int from;

  private int to;

  /**
   * Prepares the draws.
   *
   * @param begins first vertex of each community, and the number of vertices
   */
  CommunityEdges(CommunityGraph settings, int[] begins) {
    double[] degrees = degrees(settings);
    double insideDegree = settings.homophily() * settings.averageDegree();
    double[] inside = new double[degrees.length];
    for (int c = 0; c + 1 < begins.length; c++) {
      double largest = cutoff(begins[c + 1] - begins[c], Math.max(insideDegree, 1));
      for (int v = begins[c]; v < begins[c + 1]; v++) {
        inside[v] = Math.min(degrees[v] * Math.max(settings.homophily(), 1e-9), largest);
      }
    }
    insideMembers = new AliasTables(inside, begins);
    insideCommunities = AliasTables.of(sums(inside, begins));
    outsideMembers = new AliasTables(degrees, begins);
    outsideCommunities = AliasTables.of(sums(degrees, begins));
    insideKey = CommunityPurpose.INSIDE.key(settings);
    outsideKey = CommunityPurpose.OUTSIDE.key(settings);
  }

  private CommunityEdges(CommunityEdges other) {
    insideCommunities = other.insideCommunities;
    insideMembers = other.insideMembers;
    outsideCommunities = other.outsideCommunities;
    outsideMembers = other.outsideMembers;
    insideKey = other.insideKey;
    outsideKey = other.outsideKey;
  }

  /** These edges, for another thread to draw. */
  CommunityEdges forThread() {
    return new CommunityEdges(this);
  }

  /** The degrees aimed at: a power law by inversion, bounded by {@link #cutoff}, of given mean. */
  private static double[] degrees(CommunityGraph settings) {
    long key = CommunityPurpose.DEGREE.key(settings);
    double power = -1 / (settings.exponent() - 1);
    double[] degrees = new double[settings.vertices()];
    double sum = 0;
    for (int v = 0; v < degrees.length; v++) {
      degrees[v] = Math.pow(1 - Draws.unitDouble(Draws.at(key, v)), power);
      sum += degrees[v];
    }
    double scale = settings.averageDegree() * degrees.length / sum;
    double largest = cutoff(degrees.length, settings.averageDegree());
    for (int v = 0; v < degrees.length; v++) {
      degrees[v] = Math.min(scale * degrees[v], largest);
    }
    return degrees;
  }

  /**
   * The structural cutoff {@code √(n d)}: vertices of larger degree could not find as many
   * different neighbours when these are drawn by degree.
   */
  private static double cutoff(int vertices, double averageDegree) {
    return Math.sqrt(vertices * averageDegree);
  }

  private static double[] sums(double[] values, int[] begins) {
    double[] sums = new double[begins.length - 1];
    for (int c = 0; c < sums.length; c++) {
      for (int v = begins[c]; v < begins[c + 1]; v++) {
        sums[c] += values[v];
      }
    }
    return sums;
  }

  /** Draws the edge of that number among those inside communities. */
  void drawInside(long number) {
    long bits = Draws.at(insideKey, number);
    do {
      bits = Draws.mix(bits);
      int community = insideCommunities.draw(0, bits);
      from = insideMembers.draw(community, Draws.at(bits, 1));
      to = insideMembers.draw(community, Draws.at(bits, 2));
    } while (from == to);
  }

  /** Draws the edge of that number among those between communities. */
  void drawOutside(long number) {
    long bits = Draws.at(outsideKey, number);
    int first;
    int second;
    do {
      bits = Draws.mix(bits);
      first = outsideCommunities.draw(0, bits);
      second = outsideCommunities.draw(0, Draws.at(bits, 1));
    } while (first == second);
    from = outsideMembers.draw(first, Draws.at(bits, 2));
    to = outsideMembers.draw(second, Draws.at(bits, 3));
  }

  int from() {
    return from;
  }

  int to() {
    return to;
  }
}
