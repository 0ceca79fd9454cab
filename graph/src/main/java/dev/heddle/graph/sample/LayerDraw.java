package dev.heddle.graph.sample;

import dev.heddle.kernel.Csr;

/**
 * The in-arcs that come from the vertices of a layer, which were drawn for all rows together; each
 * stands for what its source does. Looks at all arcs of a vertex, and draws nothing itself.
 */
record LayerDraw(Csr arcs, LayerTable layer) implements ArcDraw {
  @Override
  public int count(int vertex, long key) {
    int count = 0;
    for (long arc = arcs.offset(vertex), end = arcs.offset(vertex + 1); arc < end; arc++) {
      count += layer.times(arcs.id(arc)) > 0 ? 1 : 0;
    }
    return count;
  }

  @Override
  public void draw(int vertex, long key, DrawnArcs into, long at) {
    long to = at;
    for (long arc = arcs.offset(vertex), end = arcs.offset(vertex + 1); arc < end; arc++) {
      float times = layer.times(arcs.id(arc));
      if (times > 0) {
        into.take(to++, arcs, arc, times);
      }
    }
  }
}
