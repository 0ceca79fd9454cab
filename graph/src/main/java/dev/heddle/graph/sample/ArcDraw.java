package dev.heddle.graph.sample;

/**
 * Which of a vertex's in-arcs are taken in one hop. The key is that of the hop in one batch of one
 * epoch; what is drawn depends on it and on numbers of vertices alone.
 */
sealed interface ArcDraw permits AllArcs, UniformDraw, WeightedDraw, LaborDraw {
  /** How many arcs {@link #draw} will take. */
  int count(int vertex, long key);

  /** Writes the arcs from an index on. */
  void draw(int vertex, long key, DrawnArcs into, long at);
}
