package dev.heddle.graph.sample;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;

/**
 * The input layer of global neighbour sampling (Dong et al., KDD 2021): in-arcs from cached
 * vertices alone, at most so many, each as likely as any other.
 *
 * <p>Of {@code n} cached neighbours {@code s} are drawn; an arc from {@code u} stands for {@code
 * n/(s·π_u)}. Given the cache, the sum over those drawn has the sum over all cached as its
 * expectation; over caches, {@code E[Σ 1{u ∈ C} x_u/π_u] = Σ x_u}. A vertex with no cached
 * neighbour has no arcs, which is part of that mean: others make up for it.
 */
record CachedDraw(Csr arcs, int fanout, CachedVertices cache) implements ArcDraw {
  private int cached(int vertex) {
    int count = 0;
    for (long arc = arcs.offset(vertex), end = arcs.offset(vertex + 1); arc < end; arc++) {
      count += cache.has(arcs.id(arc)) ? 1 : 0;
    }
    return count;
  }

  private int taken(int cached) {
    return fanout == SampleSettings.ALL ? cached : Math.min(cached, fanout);
  }

  @Override
  public int count(int vertex, long key) {
    return taken(cached(vertex));
  }

  @Override
  public void draw(int vertex, long key, DrawnArcs into, long at) {
    int left = cached(vertex);
    int wanted = taken(left);
    long own = Draws.at(key, vertex);
    float each = wanted == 0 ? 0 : (float) left / wanted;
    long to = at;
    // One by one, each by how many of those left are still wanted (Knuth's Algorithm S).
    for (long arc = arcs.offset(vertex); wanted > 0; arc++) {
      int source = arcs.id(arc);
      if (cache.has(source)) {
        if (Draws.below(Draws.at(own, left), left) < wanted) {
          into.take(to++, arcs, arc, each * cache.times(source));
          wanted--;
        }
        left--;
      }
    }
  }
}
