package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.graph.SelfLoops;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The arcs that can be drawn, by destination. With self-loops, the loop of a vertex is no matter of
 * chance: it is kept apart from the arcs of others and is in every sample.
 *
 * <p>Weights of loops and degrees are those of the vertices whose arcs are here, and 0 of others.
 */
final class NeighbourArcs {
  private final OwnArcs own;
  private final Csr others;
  private final boolean selfLoops;
  private final @Nullable MemorySegment loopWeights;
  private final @Nullable MemorySegment scales;

  private NeighbourArcs(OwnArcs own, BlockNeeds needs, Memory memory) {
    this.own = own;
    Csr in = own.in();
    selfLoops = needs.selfLoops();
    boolean loops = selfLoops && SelfLoops.any(in);
    others = loops ? SelfLoops.removed(memory, in) : in;
    loopWeights = loops && in.weights() != null ? memory.allocateFloats(in.rows()) : null;
    if (loopWeights != null) {
      for (int v = 0; v < in.rows(); v++) {
        loopWeights.setAtIndex(JAVA_FLOAT, v, own.has(v) ? SelfLoops.weight(in, v) : 0);
      }
    }
    scales = needs.scales() ? scales(needs.symmetric(), memory) : null;
  }

  static NeighbourArcs of(OwnArcs own, BlockNeeds needs, Memory memory) {
    return new NeighbourArcs(own, needs, memory);
  }

  private MemorySegment scales(boolean roots, Memory memory) {
    long bytes = (long) Float.BYTES * vertices();
    MemorySegment values = memory.allocate(bytes).asSlice(0, bytes);
    for (int v = 0; v < vertices(); v++) {
      if (!own.has(v)) {
        continue;
      }
      double degree = selfLoops ? loopWeight(v) : 0;
      if (others.weights() == null) {
        degree += others.degree(v);
      } else {
        for (long arc = others.offset(v), end = others.offset(v + 1); arc < end; arc++) {
          degree += others.weight(arc);
        }
      }
      double divisor = roots ? Math.sqrt(degree) : degree;
      values.setAtIndex(JAVA_FLOAT, v, degree > 0 ? (float) (1 / divisor) : 0);
    }
    return values;
  }

  int vertices() {
    return own.in().rows();
  }

  /** The arcs that are drawn from. */
  Csr others() {
    return others;
  }

  /**
   * Reads some of a vertex's arcs. Where that is done for many vertices before any arcs are drawn,
   * reads of memory that is not in the cache are under way together; draws would wait for them
   * vertex by vertex.
   *
   * @return bits for {@link #requireRead}, combined with those of other vertices by or
   */
  int read(int vertex) {
    long first = others.offset(vertex);
    long last = others.offset(vertex + 1);
    return first < last ? others.id(first) | others.id(last - 1) : 0;
  }

  /** Uses what was read, so that no compiler leaves the reading out. */
  static void requireRead(int bits) {
    if (bits < 0) {
      throw new IllegalStateException("an arc comes from a vertex with a negative number");
    }
  }

  boolean selfLoops() {
    return selfLoops;
  }

  float loopWeight(int vertex) {
    return loopWeights == null ? 1 : loopWeights.getAtIndex(JAVA_FLOAT, vertex);
  }

  /**
   * {@link #scale} of all vertices, to be summed over workers of whom each has some; null where
   * nobody asked for it.
   */
  @Nullable MemorySegment scales() {
    return scales;
  }

  /**
   * Of a vertex in the whole graph, its loop included, {@code d^-1/2} where normalisation is
   * symmetric, {@code 1/d} where means are of all arcs.
   */
  float scale(int vertex) {
    if (scales == null) {
      throw new IllegalStateException("nobody asked for degrees");
    }
    return scales.getAtIndex(JAVA_FLOAT, vertex);
  }
}
