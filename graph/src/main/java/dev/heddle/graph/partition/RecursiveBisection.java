package dev.heddle.graph.partition;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Workers;

/** A partition into k parts by splitting a graph in two, and its halves again. */
final class RecursiveBisection {
  private final Workers workers;
  private final long[] most;
  private final int[] part;

  private RecursiveBisection(int vertices, long[] most, Workers workers) {
    this.part = new int[vertices];
    this.most = most;
    this.workers = workers;
  }

  /**
   * The part of each vertex.
   *
   * @param most what one part may hold, by constraint
   */
  static int[] parts(LevelGraph graph, int parts, long[] most, long key, Workers workers) {
    RecursiveBisection recursion = new RecursiveBisection(graph.vertices, most, workers);
    int[] all = new int[graph.vertices];
    for (int v = 0; v < all.length; v++) {
      all[v] = v;
    }
    recursion.split(graph, all, new Range(0, parts), key);
    return recursion.part;
  }

  /** Parts from {@code first} on. */
  private record Range(int first, int count) {}

  /**
   * Splits a subgraph.
   *
   * @param names what its vertices are in the whole graph
   */
  private void split(LevelGraph graph, int[] names, Range parts, long key) {
    if (parts.count == 1) {
      for (int name : names) {
        part[name] = parts.first;
      }
      return;
    }
    int left = parts.count / 2;
    int right = parts.count - left;
    long[] room = room(graph, left, right);
    int[] sides = new Bisection(graph, room, (double) left / parts.count, key).sides(workers);
    for (int side = 0; side < 2; side++) {
      Subgraph half = Subgraph.of(graph, sides, side);
      int[] own = half.names();
      for (int v = 0; v < own.length; v++) {
        own[v] = names[own[v]];
      }
      Range range = side == 0 ? new Range(parts.first, left) : new Range(parts.first + left, right);
      split(half.graph(), own, range, Draws.at(key, side));
    }
  }

  /**
   * What both sides may hold: a share of the slack that is left to the parts below, so that the
   * last splits still have some (Schulz et al., adaptive imbalance of recursive bisection).
   */
  private long[] room(LevelGraph graph, int left, int right) {
    int count = left + right;
    long[] totals = graph.totals();
    int constraints = graph.constraints;
    long[] room = new long[2 * constraints];
    int depth = 32 - Integer.numberOfLeadingZeros(count - 1);
    for (int c = 0; c < constraints; c++) {
      double slack = Math.max(1, (double) most[c] * count / Math.max(totals[c], 1));
      double here = Math.pow(slack, 1.0 / depth);
      room[c] = Math.min(left * most[c], (long) Math.ceil(here * totals[c] * left / count));
      room[constraints + c] =
          Math.min(right * most[c], (long) Math.ceil(here * totals[c] * right / count));
    }
    return room;
  }
}
