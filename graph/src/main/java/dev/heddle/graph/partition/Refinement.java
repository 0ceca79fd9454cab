package dev.heddle.graph.partition;

/**
 * Moves vertices between parts to cut less, and out of local optima (Fiduccia & Mattheyses, DAC
 * 1982, for k parts).
 *
 * <p>In a pass every vertex at a boundary moves at most once, the one that gains most next, even if
 * it gains nothing; in the end the moves after the best moment are taken back. No move overfills a
 * part.
 *
 * <p>All edges are looked at once. From then on vertices wait in a heap under a gain that they have
 * at most, and are looked at again when it is their turn: a move costs a step for each edge of the
 * vertex that moves, whatever its neighbours' degrees, and a pass costs what it moves.
 */
final class Refinement {
  /** A pass that gains no more than this share of the cut, or than one edge, is the last. */
  private static final double LITTLE = 0.001;

  /** Edges up to which a vertex outside the heap is looked at whenever a neighbour moves. */
  private static final int MODEST = 48;

  /** Of a vertex that no part has room for. */
  private static final int BARRED = Integer.MIN_VALUE;

  private final Assignment parts;
  private final LevelGraph graph;
  private final Gains gains;
  private final VertexHeap heap;

  /** What vertices outside the heap would gain at most if a part were next to them. */
  private final int[] absent;

  /** By vertex: the pass in which it moved, negative once it was looked at for the next one. */
  private final int[] seen;

  private final IntList moved = new IntList();
  private final IntList cameFrom = new IntList();

  /** Vertices whose best move was barred by a full part: asked again before the next pass. */
  private IntList waiting = new IntList();

  private IntList asked = new IntList();
  private int pass;

  Refinement(Assignment parts) {
    this.parts = parts;
    this.graph = parts.graph;
    this.gains = new Gains(parts);
    this.heap = new VertexHeap(graph.vertices);
    this.absent = new int[graph.vertices];
    this.seen = new int[graph.vertices];
  }

  /**
   * Refines in passes until one gains next to nothing, and returns the cut.
   *
   * @param patience how many moves in a row may bring nothing
   */
  long run(int passes, int patience) {
    long twice = 0;
    for (int v = 0; v < graph.vertices; v++) {
      if (!isInside(v)) {
        offer(v);
        twice += gains.outside();
      }
    }
    long cut = twice / 2;
    for (int i = 0; i < passes && cut > 0; i++) {
      long gained = pass(patience);
      cut -= gained;
      if (gained <= Math.max(1, LITTLE * cut)) {
        break;
      }
      offerAgain();
    }
    return cut;
  }

  /** Most vertices are inside a part, and told so at less cost than by {@link Gains}. */
  private boolean isInside(int v) {
    int[] part = parts.part;
    int own = part[v];
    int sum = 0;
    for (int arc = graph.offsets[v], end = graph.offsets[v + 1]; arc < end; arc++) {
      if (part[graph.ids[arc]] != own) {
        return false;
      }
      sum += graph.weight(arc);
    }
    absent[v] = -sum;
    return true;
  }

  private void offer(int v) {
    gains.look(v);
    if (gains.target() != Gains.NOWHERE) {
      heap.put(v, gains.gain());
    } else {
      heap.remove(v);
      absent[v] = gains.barred() ? BARRED : -gains.inside();
    }
    if (gains.barred()) {
      waiting.add(v);
    }
  }

  /** By how much a pass lowers the cut. */
  private long pass(int patience) {
    pass++;
    moved.clear();
    cameFrom.clear();
    long total = 0;
    long best = 0;
    int bestMoves = 0;
    while (!heap.isEmpty() && moved.size() - bestMoves < patience) {
      int bound = heap.topGain();
      int v = heap.top();
      offer(v);
      if (gains.target() != Gains.NOWHERE && gains.gain() >= bound) {
        heap.remove(v);
        total += gains.gain();
        move(v, gains.target());
        if (total > best) {
          best = total;
          bestMoves = moved.size();
        }
      }
    }
    for (int i = moved.size() - 1; i >= bestMoves; i--) {
      parts.move(moved.get(i), cameFrom.get(i));
    }
    return best;
  }

  private void move(int v, int to) {
    int from = parts.part[v];
    moved.add(v);
    cameFrom.add(from);
    seen[v] = pass;
    parts.move(v, to);
    int end = graph.offsets[v + 1];
    for (int arc = graph.offsets[v]; arc < end; arc++) {
      int u = graph.ids[arc];
      if (seen[u] == pass) {
        continue;
      }
      boolean present = heap.contains(u);
      if (!present && graph.degree(u) <= MODEST) {
        offer(u);
        continue;
      }
      int bound = present ? heap.gain(u) : absent[u];
      if (bound != BARRED) {
        int own = parts.part[u];
        int times = own == from ? 2 : own == to ? -1 : 1;
        heap.put(u, bound + times * graph.weight(arc));
      } else if (moved.size() % (graph.degree(u) / MODEST) == 0) {
        // There may be room by now: asked now and then, else hubs would be all the work.
        offer(u);
      }
    }
  }

  /** Looks at all whose gains may have changed in a pass, each once. */
  private void offerAgain() {
    IntList asking = waiting;
    waiting = asked;
    waiting.clear();
    asked = asking;
    for (int i = 0; i < moved.size(); i++) {
      int v = moved.get(i);
      offerOnce(v);
      int end = graph.offsets[v + 1];
      for (int arc = graph.offsets[v]; arc < end; arc++) {
        offerOnce(graph.ids[arc]);
      }
    }
    for (int i = 0; i < asking.size(); i++) {
      offerOnce(asking.get(i));
    }
  }

  private void offerOnce(int v) {
    if (seen[v] != -pass) {
      seen[v] = -pass;
      offer(v);
    }
  }
}
