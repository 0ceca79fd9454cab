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

  static void copy(Csr arcs, int vertex, DrawnArcs into, long at) {
    long to = at;
    for (long arc = arcs.offset(vertex), end = arcs.offset(vertex + 1); arc < end; arc++) {
      into.take(to++, arcs, arc, 1);
    }
  }
}
