package dev.heddle.graph.partition;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Workers;

/**
 * Splits a graph in two: coarsens it, grows several first bisections of the coarsest graph, takes
 * the best and refines it level by level.
 */
final class Bisection {
  private static final int SMALLEST = 80;
  private static final int TRIES = 4;
  private static final int PASSES = 4;
  private static final int PATIENCE = 50;

  /** How much larger than on average a cluster of the coarsest graph may be. */
  private static final double UNEVEN = 1.5;

  private final LevelGraph graph;
  private final long[] room;
  private final double share;
  private final long key;

  /**
   * For one split.
   *
   * @param room of both sides, as in an {@link Assignment}
   * @param share how much of the loads side 0 is to have
   */
  Bisection(LevelGraph graph, long[] room, double share, long key) {
    this.graph = graph;
    this.room = room;
    this.share = share;
    this.key = key;
  }

  /** The side, 0 or 1, of each vertex. */
  int[] sides(Workers workers) {
    long[] most = graph.totals();
    for (int c = 0; c < most.length; c++) {
      most[c] = Math.max(1, (long) (UNEVEN * most[c] / SMALLEST));
    }
    Hierarchy levels =
        Hierarchy.of(graph, SMALLEST, new Clustering.Bounds(most, null), key, workers);
    int[] sides = first(levels.coarsest());
    for (int level = levels.depth() - 1; level >= 0; level--) {
      sides = levels.project(level, sides);
      refine(sides, new SideRefinement(levels.graph(level)));
    }
    return sides;
  }

  private int[] first(LevelGraph coarsest) {
    Growing growing = new Growing(coarsest);
    SideRefinement refinement = new SideRefinement(coarsest);
    Assignment best = refine(growing.sides(share, Draws.at(key, -1)), refinement);
    for (int i = 1; i < TRIES; i++) {
      Assignment tried = refine(growing.sides(share, Draws.at(key, -1 - i)), refinement);
      best = tried.isBetterThan(best) ? tried : best;
    }
    return best.part;
  }

  private Assignment refine(int[] sides, SideRefinement refinement) {
    Assignment both = new Assignment(refinement.graph(), 2, sides, room);
    Rebalancing.run(both);
    refinement.run(both, PASSES, PATIENCE);
    return both;
  }
}
