package dev.heddle.graph.partition;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Workers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A graph, the graph of its clusters, the graph of theirs, down to a small one. */
final class Hierarchy {
  /** How much of a level must go for it to be worth having. */
  private static final double WORTH = 0.95;

  private final List<LevelGraph> graphs = new ArrayList<>();
  private final List<int[]> clusters = new ArrayList<>();

  /** A partition of the coarsest graph, where clusters lie inside parts. */
  private int @Nullable [] within;

  private Hierarchy(LevelGraph finest, int @Nullable [] within) {
    graphs.add(finest);
    this.within = within;
  }

  /** Coarsens a graph to about so many vertices, or to where it shrinks no more. */
  static Hierarchy of(
      LevelGraph finest, int smallest, Clustering.Bounds bounds, long key, Workers workers) {
    Hierarchy levels = new Hierarchy(finest, bounds.within());
    while (levels.coarsest().vertices > smallest) {
      LevelGraph graph = levels.coarsest();
      Clustering.Bounds here = new Clustering.Bounds(bounds.room(), levels.within);
      int[] clusters = Clustering.of(graph, here, Draws.at(key, levels.depth()), workers);
      int count = Arrays.stream(clusters).max().orElse(-1) + 1;
      if (count > WORTH * graph.vertices) {
        break;
      }
      levels.add(clusters, Contraction.of(graph, clusters, count, workers));
    }
    return levels;
  }

  private void add(int[] cluster, LevelGraph graph) {
    if (within != null) {
      int[] above = new int[graph.vertices];
      for (int v = 0; v < cluster.length; v++) {
        above[cluster[v]] = within[v];
      }
      within = above;
    }
    clusters.add(cluster);
    graphs.add(graph);
  }

  /** The partition that clusters were to lie inside of, on the coarsest graph. */
  int @Nullable [] within() {
    return within;
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
