package dev.heddle.graph.sample;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;

/**
 * So many in-arcs, each as likely as any other (Hamilton, Ying & Leskovec, NeurIPS 2017); all where
 * there are no more. Without replacement by Floyd's algorithm (Bentley & Floyd, CACM 1987), which
 * takes as many draws as arcs. Each of {@code s} arcs drawn of {@code d} stands for {@code d/s}.
 */
record UniformDraw(Csr arcs, int fanout, boolean replace) implements ArcDraw {
  @Override
  public int count(int vertex, long key) {
    long degree = arcs.degree(vertex);
    return replace ? (degree == 0 ? 0 : fanout) : (int) Math.min(degree, fanout);
  }

  @Override
  public void draw(int vertex, long key, DrawnArcs into, long at) {
    int degree = (int) arcs.degree(vertex);
    if (degree == 0) {
      return;
    }
    if (replace) {
      withReplacement(vertex, degree, Draws.at(key, vertex), into, at);
    } else if (degree <= fanout) {
      AllArcs.copy(arcs, vertex, into, at);
    } else if (degree <= Long.SIZE) {
      ofFew(vertex, degree, Draws.at(key, vertex), into, at);
    } else {
      ofMany(vertex, degree, Draws.at(key, vertex), into, at);
    }
  }

  private void withReplacement(int vertex, int degree, long key, DrawnArcs into, long at) {
    long first = arcs.offset(vertex);
    float times = (float) degree / fanout;
    for (int i = 0; i < fanout; i++) {
      into.take(at + i, arcs, first + Draws.below(Draws.at(key, i), degree), times);
    }
  }

  /** Positions taken are bits of a word. */
  private void ofFew(int vertex, int degree, long key, DrawnArcs into, long at) {
    long first = arcs.offset(vertex);
    float times = (float) degree / fanout;
    long taken = 0;
    long to = at;
    for (int last = degree - fanout; last < degree; last++) {
      int position = Draws.below(Draws.at(key, last), last + 1);
      if ((taken >>> position & 1) != 0) {
        position = last;
      }
      taken |= 1L << position;
      into.take(to++, arcs, first + position, times);
    }
  }

  private void ofMany(int vertex, int degree, long key, DrawnArcs into, long at) {
    long first = arcs.offset(vertex);
    float times = (float) degree / fanout;
    Positions taken = Positions.ofThread(degree, fanout);
    long to = at;
    for (int last = degree - fanout; last < degree; last++) {
      int position = Draws.below(Draws.at(key, last), last + 1);
      if (!taken.add(position)) {
        position = last;
        taken.add(last);
      }
      into.take(to++, arcs, first + position, times);
    }
    taken.clear();
  }
}
