package dev.heddle.train;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.kernel.ThreadTeam;

/** Communities with features, classes and a split, to train on for a moment. */
final class SmallGraph {
  private SmallGraph() {}

  static Graph of(int vertices, int width, long seed) {
    try (ThreadTeam team = ThreadTeam.of(1)) {
      return CommunityGraph.of(vertices)
          .averageDegree(6)
          .communities(8)
          .classes(4)
          .width(width)
          .seed(seed)
          .generate(team);
    }
  }
}
