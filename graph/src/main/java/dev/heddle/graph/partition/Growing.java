package dev.heddle.graph.partition;

import java.util.Arrays;

/**
 * A first bisection of a small graph: one side grows from a vertex drawn at random, always by the
 * vertex that cuts least, until it has its share (Karypis & Kumar, SIAM J. Sci. Comput. 1998).
 */
final class Growing {
  private final LevelGraph graph;
  private final long[] totals;

  /** What putting a vertex into the growing side gains. */
  private final int[] gains;

  private final VertexHeap heap;

  Growing(LevelGraph graph) {
    this.graph = graph;
    this.totals = graph.totals();
    this.gains = new int[graph.vertices];
    this.heap = new VertexHeap(graph.vertices);
  }

  /**
   * The side, 0 or 1, of each vertex.
   *
   * @param share how much of the loads side 0 is to have, on average over the constraints
   */
  int[] sides(double share, long key) {
    int[] side = new int[graph.vertices];
    Arrays.fill(side, 1);
    heap.clear();
    for (int v = 0; v < graph.vertices; v++) {
      gains[v] = -graph.strength(v);
    }
    int[] starts = Shuffle.of(graph.vertices, key);
    int next = 0;
    double grown = 0;
    while (grown < share) {
      int v;
      if (heap.isEmpty()) {
        while (next < starts.length && side[starts[next]] == 0) {
          next++;
        }
        if (next == starts.length) {
          break;
        }
        v = starts[next];
      } else {
        v = heap.pop();
      }
      double more = loadShare(v);
      if (grown + more - share > share - grown && grown > 0) {
        // Nearer to the share without it; a smaller vertex may still fit.
        if (heap.isEmpty()) {
          break;
        }
        continue;
      }
      side[v] = 0;
      grown += more;
      int end = graph.offsets[v + 1];
      for (int arc = graph.offsets[v]; arc < end; arc++) {
        int u = graph.ids[arc];
        if (side[u] == 1) {
          gains[u] += 2 * graph.weight(arc);
          heap.put(u, gains[u]);
        }
      }
    }
    return side;
  }

  private double loadShare(int v) {
    double sum = 0;
    for (int c = 0; c < graph.constraints; c++) {
      sum += (double) graph.loads[v * graph.constraints + c] / Math.max(totals[c], 1);
    }
    return sum / graph.constraints;
  }
}
