package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.kernel.Csr;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
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

  /** Takes arcs that follow each other, each standing for itself. */
  void takeAll(long at, Csr from, long first, long count) {
    copy(from.ids(), first, ids, at, count);
    if (weights == null) {
      return;
    }
    MemorySegment given = from.weights();
    if (given == null) {
      fill(weights, at, count, 1);
    } else {
      copy(given, first, weights, at, count);
    }
  }

  private static void copy(MemorySegment from, long first, MemorySegment to, long at, long count) {
    // Ints and floats alike.
    MemorySegment.copy(from, first * Integer.BYTES, to, at * Integer.BYTES, count * Integer.BYTES);
  }

  /**
   * Takes those arcs from the first on whose positions stand where their vertices shall; each
   * stands for so many like it.
   *
   * <p>Loops are without conditions: where the compiler met one that held for some hops and not for
   * others, it made the code anew for each in turn, for ever.
   */
  void takeChosen(long at, Csr from, long first, int count, float times) {
    if (weights != null) {
      MemorySegment given = from.weights();
      if (given == null) {
        fill(weights, at, count, times);
      } else {
        multiply(given, first, at, count, times);
      }
    }
    for (int i = 0; i < count; i++) {
      int position = ids.getAtIndex(JAVA_INT, at + i);
      ids.setAtIndex(JAVA_INT, at + i, from.id(first + position));
    }
  }

  private void multiply(MemorySegment given, long first, long at, int count, float times) {
    MemorySegment to = Objects.requireNonNull(weights);
    for (int i = 0; i < count; i++) {
      long arc = first + ids.getAtIndex(JAVA_INT, at + i);
      to.setAtIndex(JAVA_FLOAT, at + i, given.getAtIndex(JAVA_FLOAT, arc) * times);
    }
  }

  private static void fill(MemorySegment to, long at, long count, float value) {
    for (long i = 0; i < count; i++) {
      to.setAtIndex(JAVA_FLOAT, at + i, value);
    }
  }
}
