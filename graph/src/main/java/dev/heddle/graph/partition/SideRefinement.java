package dev.heddle.graph.partition;

import java.util.Arrays;

/**
 * Moves vertices between two sides to cut less (Fiduccia & Mattheyses, DAC 1982), as {@link
 * Refinement} does between k parts.
 *
 * <p>With two sides there is one way to go, so that gains are known exactly: a move changes those
 * of the neighbours by twice an edge, and edges are looked at once, in the beginning.
 */
final class SideRefinement {
  private final LevelGraph graph;

  /** What moving a vertex gains. */
  private final int[] gains;

  /** Weight of all edges of a vertex: one with {@code gain = -weight} is not at the boundary. */
  private final int[] weights;

  /** The vertices at the boundary, by side. */
  private final VertexHeap[] heaps;

  private final boolean[] locked;
  private final IntList moved = new IntList();

  /** Moves up to the best moment of a pass. */
  private int bestMoves;

  SideRefinement(LevelGraph graph) {
    this.graph = graph;
    int n = graph.vertices;
    gains = new int[n];
    weights = new int[n];
    locked = new boolean[n];
    heaps = new VertexHeap[] {new VertexHeap(n), new VertexHeap(n)};
  }

  LevelGraph graph() {
    return graph;
  }

  /**
   * Refines in passes until one gains nothing; once, as it leaves gains and heaps as they are.
   *
   * @param patience how many moves in a row may bring nothing
   */
  void run(Assignment sides, int passes, int patience) {
    look(sides.part);
    boolean more = true;
    for (int pass = 1; more; pass++) {
      long gained = pass(sides, patience);
      more = gained > 0 && pass < passes;
      takeBack(sides, more);
    }
  }

  private void look(int[] side) {
    for (int v = 0; v < graph.vertices; v++) {
      int own = side[v];
      int gain = 0;
      int weight = 0;
      for (int arc = graph.offsets[v], end = graph.offsets[v + 1]; arc < end; arc++) {
        int w = graph.weight(arc);
        weight += w;
        gain += side[graph.ids[arc]] == own ? -w : w;
      }
      gains[v] = gain;
      weights[v] = weight;
    }
  }

  /** By how much a pass lowers the cut; the moves after its best moment are still to take back. */
  private long pass(Assignment sides, int patience) {
    for (int v = 0; v < graph.vertices; v++) {
      if (gains[v] > -weights[v]) {
        heaps[sides.part[v]].put(v, gains[v]);
      }
    }
    moved.clear();
    long total = 0;
    long best = 0;
    bestMoves = 0;
    while (moved.size() - bestMoves < patience) {
      int v = next(sides);
      if (v < 0) {
        break;
      }
      total += gains[v];
      locked[v] = true;
      moved.add(v);
      move(v, sides);
      if (total > best) {
        best = total;
        bestMoves = moved.size();
      }
    }
    return best;
  }

  /** Takes back the moves after the best moment; gains matter only if there is another pass. */
  private void takeBack(Assignment sides, boolean more) {
    if (!more) {
      for (int i = moved.size() - 1; i >= bestMoves; i--) {
        sides.move(moved.get(i), 1 - sides.part[moved.get(i)]);
      }
      return;
    }
    heaps[0].clear();
    heaps[1].clear();
    // Whatever is locked stays out of the heaps while moves are taken back.
    Arrays.fill(locked, true);
    for (int i = moved.size() - 1; i >= bestMoves; i--) {
      move(moved.get(i), sides);
    }
    Arrays.fill(locked, false);
  }

  /** Takes the vertex that gains most of those that the other side has room for; −1 if none. */
  private int next(Assignment sides) {
    while (true) {
      int side = 0;
      if (heaps[0].isEmpty()) {
        if (heaps[1].isEmpty()) {
          return -1;
        }
        side = 1;
      } else if (!heaps[1].isEmpty()) {
        boolean better = heaps[1].topGain() > heaps[0].topGain();
        int preferred = better ? 1 : 0;
        boolean fits = sides.fits(heaps[preferred].top(), 1 - preferred);
        side =
            fits || !sides.fits(heaps[1 - preferred].top(), preferred) ? preferred : 1 - preferred;
      }
      int v = heaps[side].pop();
      if (sides.fits(v, 1 - side)) {
        return v;
      }
    }
  }

  private void move(int v, Assignment sides) {
    int[] side = sides.part;
    int from = side[v];
    sides.move(v, 1 - from);
    gains[v] = -gains[v];
    for (int arc = graph.offsets[v], end = graph.offsets[v + 1]; arc < end; arc++) {
      int u = graph.ids[arc];
      int twice = 2 * graph.weight(arc);
      gains[u] += side[u] == from ? twice : -twice;
      if (!locked[u]) {
        heaps[side[u]].put(u, gains[u]);
      }
    }
  }
}
