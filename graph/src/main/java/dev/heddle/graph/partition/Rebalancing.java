package dev.heddle.graph.partition;

/**
 * Brings parts that are too full back into their bounds, at the least cost in cut edges.
 *
 * <p>Vertices of overfull parts are moved, the cheapest first, to parts that have room for them;
 * where a vertex with loads of several kinds fits nowhere, to a part where it does less harm. What
 * cannot be mended is left to a finer level, where vertices are smaller.
 */
final class Rebalancing {
  /** A part may become too full by what another was relieved of. */
  private static final int ROUNDS = 4;

  private final Assignment parts;
  private final LevelGraph graph;
  private final Gains gains;
  private final VertexHeap heap;

  private Rebalancing(Assignment parts) {
    this.parts = parts;
    this.graph = parts.graph;
    this.gains = new Gains(parts);
    this.heap = new VertexHeap(graph.vertices);
  }

  static void run(Assignment parts) {
    if (parts.overload() == 0) {
      return;
    }
    Rebalancing rebalancing = new Rebalancing(parts);
    for (int round = 0; round < ROUNDS && parts.overload() > 0; round++) {
      for (int part = 0; part < parts.parts; part++) {
        if (parts.isOverfull(part)) {
          rebalancing.relieve(part);
        }
      }
    }
  }

  private void relieve(int from) {
    heap.clear();
    for (int v = 0; v < graph.vertices; v++) {
      if (parts.part[v] == from && helps(v)) {
        heap.put(v, price(v));
      }
    }
    while (!heap.isEmpty() && parts.isOverfull(from)) {
      int price = heap.topGain();
      int v = heap.pop();
      if (!helps(v)) {
        continue;
      }
      int now = price(v);
      if (now < price && !heap.isEmpty() && now < heap.topGain()) {
        heap.put(v, now);
        continue;
      }
      int to = gains.target() == Gains.NOWHERE ? elsewhere(v) : gains.target();
      if (to != Gains.NOWHERE) {
        parts.move(v, to);
      }
    }
  }

  /** Whether the vertex has any of the load that its part has too much of. */
  private boolean helps(int v) {
    int constraints = graph.constraints;
    int from = parts.part[v];
    for (int c = 0; c < constraints; c++) {
      int at = from * constraints + c;
      if (parts.loads[at] > parts.room[at] && graph.loads[v * constraints + c] > 0) {
        return true;
      }
    }
    return false;
  }

  /** What moving a vertex to the best neighbouring part gains, or else to any other. */
  private int price(int v) {
    gains.look(v);
    return gains.target() == Gains.NOWHERE ? -gains.inside() : gains.gain();
  }

  /** The emptiest part with room for a vertex, else the one that leaves the least too much. */
  private int elsewhere(int v) {
    int own = parts.part[v];
    int emptiest = Gains.NOWHERE;
    int best = Gains.NOWHERE;
    double least = parts.overload(own, v, 0);
    for (int to = 0; to < parts.parts; to++) {
      if (to == own) {
        continue;
      }
      if (parts.fits(v, to)
          && (emptiest == Gains.NOWHERE || parts.fullness(to) < parts.fullness(emptiest))) {
        emptiest = to;
      }
      double after = parts.overload(own, v, -1) + parts.overload(to, v, 1);
      double before = parts.overload(to, v, 0);
      if (after - before < least) {
        least = after - before;
        best = to;
      }
    }
    return emptiest == Gains.NOWHERE ? best : emptiest;
  }
}
