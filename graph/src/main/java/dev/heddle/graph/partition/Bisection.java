package dev.heddle.graph.partition;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.ThreadTeam;

/**
 * Splits a graph in two: coarsens it, grows several first bisections of the coarsest graph, takes
 * the best and refines it level by level.
 */
final class Bisection {
  /** Vertices of the coarsest graph. */
  static final int SMALLEST = 120;

  /** First bisections to choose from, made in parallel. */
  private static final int TRIES = 3;

  private static final int PASSES = 3;
  private static final int PATIENCE = 25;

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

  /**
   * The side, 0 or 1, of each vertex.
   *
   * @param enough vertices at which coarsening ends: {@link #SMALLEST}, or a few more
   */
  int[] sides(int enough, ThreadTeam team) {
    long[] most = graph.totals();
    for (int c = 0; c < most.length; c++) {
      most[c] = Math.max(1, (long) (UNEVEN * most[c] / SMALLEST));
    }
    Hierarchy levels = Hierarchy.of(graph, enough, most, key, team);
    int[] sides = first(levels.coarsest(), team);
    for (int level = levels.depth() - 1; level >= 0; level--) {
      sides = levels.project(level, sides);
      refine(sides, new SideRefinement(levels.graph(level)));
    }
    return sides;
  }

  private int[] first(LevelGraph coarsest, ThreadTeam team) {
    Assignment[] tried = new Assignment[TRIES];
    team.run(
        TRIES,
        i -> {
          int[] sides = new Growing(coarsest).sides(share, Draws.at(key, -1 - i));
          tried[i] = refine(sides, new SideRefinement(coarsest));
        });
    return Assignment.best(tried).part;
  }

  private Assignment refine(int[] sides, SideRefinement refinement) {
    Assignment both = new Assignment(refinement.graph(), 2, sides, room);
    Rebalancing.run(both);
    refinement.run(both, PASSES, PATIENCE);
    return both;
  }
}
