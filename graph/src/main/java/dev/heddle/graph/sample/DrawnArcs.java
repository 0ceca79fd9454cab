package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.kernel.Csr;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Where the arcs of a hop are written: the vertices they come from and, if anyone asks, how much of
 * the whole each stands for.
 *
 * @param ids ints
 * @param weights floats: the sum of what is drawn, each times its weight, has the sum over all arcs
 *     times theirs as its expectation. None where only means are taken and all weigh the same.
 */
record DrawnArcs(MemorySegment ids, @Nullable MemorySegment weights) {
  void put(long at, int vertex, float weight) {
    ids.setAtIndex(JAVA_INT, at, vertex);
    if (weights != null) {
      weights.setAtIndex(JAVA_FLOAT, at, weight);
    }
  }

  /** Takes an arc of the graph, which stands for so many like it. */
  void take(long at, Csr from, long arc, float times) {
    ids.setAtIndex(JAVA_INT, at, from.id(arc));
    if (weights != null) {
      weights.setAtIndex(JAVA_FLOAT, at, from.weight(arc) * times);
    }
  }
}
