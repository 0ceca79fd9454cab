package dev.heddle.graph.partition;

import java.util.Arrays;

/**
 * Moves vertices between parts to cut less, and out of local optima (Fiduccia & Mattheyses, DAC
 * 1982, for k parts).
 *
 * <p>In a pass every vertex at a boundary moves at most once, the one that gains most next, even if
 * it gains nothing; in the end the moves after the best moment are taken back. No move overfills a
 * part.
 */
final class Refinement {
  /**
   * Gains of neighbours with more edges are not computed anew after each move but changed by what
   * is sure; they are computed when it is their turn. Hubs would be all the work otherwise.
   */
  private static final int MODEST = 48;

  private static final double LITTLE = 0.001;

  private final Assignment parts;
  private final LevelGraph graph;
  private final Gains gains;
  private final VertexHeap heap;
  private final boolean[] locked;
  private int[] moved = new int[64];
  private int[] cameFrom = new int[64];
  private int moves;

  Refinement(Assignment parts) {
    this.parts = parts;
    this.graph = parts.graph;
    this.gains = new Gains(parts);
    this.heap = new VertexHeap(graph.vertices);
    this.locked = new boolean[graph.vertices];
  }

  /**
   * Refines in passes until one gains next to nothing, and returns what all of them gained, as a
   * share of what was cut.
   *
   * @param patience how many moves in a row may bring nothing
   */
  double run(int passes, int patience) {
    double left = 1;
    for (int pass = 0; pass < passes; pass++) {
      double gained = pass(patience);
      left *= 1 - gained;
      if (gained < LITTLE) {
        break;
      }
    }
    return 1 - left;
  }

  /** What a pass gains, as a share of what was cut before it. */
  private double pass(int patience) {
    long cut = 0;
    for (int v = 0; v < graph.vertices; v++) {
      offer(v);
      cut += gains.outside();
    }
    moves = 0;
    long total = 0;
    long best = 0;
    int bestMoves = 0;
    while (!heap.isEmpty() && moves - bestMoves < patience) {
      int gain = heap.topGain();
      int v = heap.pop();
      gains.look(v);
      int to = gains.target();
      if (to == Gains.NOWHERE) {
        continue;
      }
      if (gains.gain() < gain && !heap.isEmpty() && gains.gain() < heap.topGain()) {
        heap.put(v, gains.gain());
        continue;
      }
      total += gains.gain();
      move(v, to);
      if (total > best) {
        best = total;
        bestMoves = moves;
      }
    }
    heap.clear();
    for (int i = 0; i < moves; i++) {
      locked[moved[i]] = false;
    }
    while (moves > bestMoves) {
      moves--;
      parts.move(moved[moves], cameFrom[moves]);
    }
    return 2.0 * best / Math.max(cut, 1);
  }

  private void offer(int v) {
    gains.look(v);
    if (gains.target() != Gains.NOWHERE) {
      heap.put(v, gains.gain());
    } else {
      heap.remove(v);
    }
  }

  private void move(int v, int to) {
    if (moves == moved.length) {
      moved = Arrays.copyOf(moved, 2 * moves);
      cameFrom = Arrays.copyOf(cameFrom, 2 * moves);
    }
    int from = parts.part[v];
    moved[moves] = v;
    cameFrom[moves++] = from;
    locked[v] = true;
    parts.move(v, to);
    int end = graph.offsets[v + 1];
    for (int arc = graph.offsets[v]; arc < end; arc++) {
      int u = graph.ids[arc];
      if (locked[u]) {
        continue;
      }
      int degree = graph.degree(u);
      if (degree <= MODEST) {
        offer(u);
      } else if (!heap.contains(u)) {
        // There was no room for it anywhere, or no part but its own around: looked at now and then.
        if (moves % (degree / MODEST) == 0) {
          offer(u);
        }
      } else if (parts.part[u] == from) {
        heap.put(u, heap.gain(u) + 2 * graph.weight(arc));
      } else if (parts.part[u] == to) {
        heap.put(u, heap.gain(u) - graph.weight(arc));
      }
    }
  }
}
