package dev.heddle.graph.partition;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.ThreadTeam;
import java.util.ArrayList;
import java.util.List;

/** A graph, the graph of its clusters, the graph of theirs, down to a small one. */
final class Hierarchy {
  /** How much of a level must go for it to be worth having. */
  private static final double WORTH = 0.95;

  private final List<LevelGraph> graphs = new ArrayList<>();
  private final List<int[]> clusters = new ArrayList<>();

  private Hierarchy(LevelGraph finest) {
    graphs.add(finest);
  }

  /**
   * Coarsens a graph to about so many vertices, or to where it shrinks no more.
   *
   * @param room the largest load of a cluster, by constraint
   */
  static Hierarchy of(LevelGraph finest, int smallest, long[] room, long key, ThreadTeam team) {
    Hierarchy levels = new Hierarchy(finest);
    while (levels.coarsest().vertices > smallest) {
      LevelGraph graph = levels.coarsest();
      int[] clusters = Clustering.of(graph, room, Draws.at(key, levels.depth()), team);
      int count = count(clusters);
      if (count > WORTH * graph.vertices) {
        break;
      }
      levels.clusters.add(clusters);
      levels.graphs.add(Contraction.of(graph, clusters, count, team));
    }
    return levels;
  }

  private static int count(int[] clusters) {
    int largest = -1;
    for (int cluster : clusters) {
      largest = Math.max(largest, cluster);
    }
    return largest + 1;
  }

  LevelGraph coarsest() {
    return graphs.getLast();
  }

  /** Levels below the coarsest. */
  int depth() {
    return clusters.size();
  }

  LevelGraph graph(int level) {
    return graphs.get(level);
  }

  /** What a partition of the level above is on this one. */
  int[] project(int level, int[] above) {
    int[] cluster = clusters.get(level);
    int[] part = new int[cluster.length];
    for (int v = 0; v < part.length; v++) {
      part[v] = above[cluster[v]];
    }
    return part;
  }
}
