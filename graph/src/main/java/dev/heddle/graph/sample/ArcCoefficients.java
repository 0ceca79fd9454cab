package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.graph.Normalisation;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Turns what arcs stand for into all that their sources are multiplied by. */
record ArcCoefficients(NeighbourArcs arcs, BlockNeeds needs) {
  /** Rewrites the weights of a vertex's arcs, which name vertices. */
  void write(int vertex, DrawnArcs drawn, long first, long last) {
    MemorySegment weights = Objects.requireNonNull(drawn.weights());
    if (needs.symmetric()) {
      float own = arcs.scale(vertex);
      for (long arc = first; arc < last; arc++) {
        float root = arcs.scale(drawn.ids().getAtIndex(JAVA_INT, arc));
        float weight = weights.getAtIndex(JAVA_FLOAT, arc);
        weights.setAtIndex(JAVA_FLOAT, arc, own * root * weight);
      }
    } else if (needs.wholeMeans()) {
      float inverse = arcs.scale(vertex);
      for (long arc = first; arc < last; arc++) {
        weights.setAtIndex(JAVA_FLOAT, arc, inverse * weights.getAtIndex(JAVA_FLOAT, arc));
      }
    } else if (needs.aggregation() == Normalisation.MEAN) {
      if (arcs.others().weights() == null) {
        fill(weights, first, last, 1f / (last - first));
      } else {
        divideBySum(weights, first, last);
      }
    }
  }

  private static void fill(MemorySegment weights, long first, long last, float each) {
    for (long arc = first; arc < last; arc++) {
      weights.setAtIndex(JAVA_FLOAT, arc, each);
    }
  }

  private static void divideBySum(MemorySegment weights, long first, long last) {
    double sum = 0;
    for (long arc = first; arc < last; arc++) {
      sum += weights.getAtIndex(JAVA_FLOAT, arc);
    }
    float inverse = sum == 0 ? 0 : (float) (1 / sum);
    for (long arc = first; arc < last; arc++) {
      weights.setAtIndex(JAVA_FLOAT, arc, inverse * weights.getAtIndex(JAVA_FLOAT, arc));
    }
  }
}
