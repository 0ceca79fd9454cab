package dev.heddle.graph.sample;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;

/**
 * The layers of global neighbour sampling that are not the input: so many in-arcs, rather from
 * cached vertices than from others, since rows that the cache has are had for nothing.
 *
 * <p>Cached and other neighbours are two strata: {@code s} of {@code n} are drawn from each, all as
 * likely, and stand for {@code n/s}, whatever the cache. Others get half of what would be theirs by
 * their number, and never nothing: no arc stands for more than twice what it would in a uniform
 * draw. Taking cached ones first and others only to fill up, as published, leaves out the others of
 * vertices with many cached neighbours, and no weight repairs that for a given cache.
 */
record PreferringDraw(Csr arcs, int fanout, CachedVertices cache) implements ArcDraw {
  @Override
  public int count(int vertex, long key) {
    return (int) Math.min(arcs.degree(vertex), fanout);
  }

  private int cached(int vertex) {
    int count = 0;
    for (long arc = arcs.offset(vertex), end = arcs.offset(vertex + 1); arc < end; arc++) {
      count += cache.has(arcs.id(arc)) ? 1 : 0;
    }
    return count;
  }

  /** How many of the others are drawn where there are so many, of more than the fan-out. */
  private int others(int cached, int others) {
    if (others == 0) {
      return 0;
    }
    long degree = (long) cached + others;
    int least = (int) ((long) fanout * others / (2 * degree)) + 1;
    return Math.min(others, Math.max(least, fanout - cached));
  }

  @Override
  public void draw(int vertex, long key, DrawnArcs into, long at) {
    int degree = (int) arcs.degree(vertex);
    if (degree <= fanout) {
      AllArcs.copy(arcs, vertex, into, at);
      return;
    }
    int cached = cached(vertex);
    if (fanout == 1) {
      // Two strata need two draws.
      cached = 0;
    }
    boolean strata = cached > 0;
    int others = degree - cached;
    int wantedOthers = others(cached, others);
    int wantedCached = fanout - wantedOthers;
    float cachedTimes = (float) cached / wantedCached;
    float otherTimes = (float) others / wantedOthers;
    long own = Draws.at(key, vertex);
    long to = at;
    for (long arc = arcs.offset(vertex); wantedCached + wantedOthers > 0; arc++) {
      long bits = Draws.at(own, arcs.offset(vertex + 1) - arc);
      if (strata && cache.has(arcs.id(arc))) {
        if (Draws.below(bits, cached--) < wantedCached) {
          into.take(to++, arcs, arc, cachedTimes);
          wantedCached--;
        }
      } else if (Draws.below(bits, others--) < wantedOthers) {
        into.take(to++, arcs, arc, otherTimes);
        wantedOthers--;
      }
    }
  }
}
