package dev.heddle.graph.sample;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;

/**
 * LABOR-0 (Balin & Çatalyürek, "Layer-Neighbor Sampling", NeurIPS 2023): every source has one draw
 * {@code r_u} in a hop, and an arc into {@code v} is taken if {@code r_u ≤ k/d_v}. A vertex gets
 * {@code k} arcs in expectation, as with uniform draws, but vertices with common sources take the
 * same ones, so that there are fewer rows. An arc taken stands for {@code d_v/k}.
 */
record LaborDraw(Csr arcs, int fanout) implements ArcDraw {
  @Override
  public int count(int vertex, long key) {
    long degree = arcs.degree(vertex);
    if (degree <= fanout) {
      return (int) degree;
    }
    double most = (double) fanout / degree;
    int count = 0;
    for (long arc = arcs.offset(vertex), end = arcs.offset(vertex + 1); arc < end; arc++) {
      count += taken(key, arc, most) ? 1 : 0;
    }
    return count;
  }

  @Override
  public void draw(int vertex, long key, DrawnArcs into, long at) {
    long degree = arcs.degree(vertex);
    if (degree <= fanout) {
      AllArcs.copy(arcs, vertex, into, at);
      return;
    }
    double most = (double) fanout / degree;
    float times = (float) degree / fanout;
    long to = at;
    for (long arc = arcs.offset(vertex), end = arcs.offset(vertex + 1); arc < end; arc++) {
      if (taken(key, arc, most)) {
        into.take(to++, arcs, arc, times);
      }
    }
  }

  private boolean taken(long key, long arc, double most) {
    return Draws.unitDouble(Draws.at(key, arcs.id(arc))) < most;
  }
}
