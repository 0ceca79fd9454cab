package dev.heddle.graph.sample;

import dev.heddle.kernel.Csr;

/** All in-arcs: no draw at all. */
record AllArcs(Csr arcs) implements ArcDraw {
  @Override
  public int count(int vertex, long key) {
    return Math.toIntExact(arcs.degree(vertex));
  }

  @Override
  public void draw(int vertex, long key, DrawnArcs into, long at) {
    copy(arcs, vertex, into, at);
  }

  /** All arcs of a vertex, each standing for itself. */
  static void copy(Csr arcs, int vertex, DrawnArcs into, long at) {
    long first = arcs.offset(vertex);
    into.takeAll(at, arcs, first, arcs.offset(vertex + 1) - first);
  }
}
