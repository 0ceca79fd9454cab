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
 */
final class NeighbourArcs {
  private final Csr in;
  private final Csr others;
  private final boolean selfLoops;
  private final @Nullable MemorySegment loopWeights;
  private final @Nullable MemorySegment rootDegrees;

  private NeighbourArcs(Csr in, BlockNeeds needs, Memory memory) {
    this.in = in;
    selfLoops = needs.selfLoops();
    boolean loops = selfLoops && SelfLoops.any(in);
    others = loops ? SelfLoops.removed(memory, in) : in;
    loopWeights = loops && in.weights() != null ? memory.allocateFloats(in.rows()) : null;
    if (loopWeights != null) {
      for (int v = 0; v < in.rows(); v++) {
        loopWeights.setAtIndex(JAVA_FLOAT, v, SelfLoops.weight(in, v));
      }
    }
    rootDegrees = needs.symmetric() ? rootDegrees(memory) : null;
  }

  static NeighbourArcs of(Csr in, BlockNeeds needs, Memory memory) {
    return new NeighbourArcs(in, needs, memory);
  }

  private MemorySegment rootDegrees(Memory memory) {
    MemorySegment roots = memory.allocateFloats(in.rows());
    for (int v = 0; v < in.rows(); v++) {
      double degree = selfLoops ? loopWeight(v) : 0;
      if (others.weights() == null) {
        degree += others.degree(v);
      } else {
        for (long arc = others.offset(v), end = others.offset(v + 1); arc < end; arc++) {
          degree += others.weight(arc);
        }
      }
      roots.setAtIndex(JAVA_FLOAT, v, degree > 0 ? (float) (1 / Math.sqrt(degree)) : 0);
    }
    return roots;
  }

  int vertices() {
    return in.rows();
  }

  /** The arcs that are drawn from. */
  Csr others() {
    return others;
  }

  boolean selfLoops() {
    return selfLoops;
  }

  float loopWeight(int vertex) {
    return loopWeights == null ? 1 : loopWeights.getAtIndex(JAVA_FLOAT, vertex);
  }

  /** {@link #rootDegree} of all vertices; null where nobody asked for it. */
  @Nullable MemorySegment rootDegrees() {
    return rootDegrees;
  }

  /** {@code d^-1/2} of a vertex in the whole graph, its loop included. */
  float rootDegree(int vertex) {
    if (rootDegrees == null) {
      throw new IllegalStateException("nobody asked for symmetric normalisation");
    }
    return rootDegrees.getAtIndex(JAVA_FLOAT, vertex);
  }
}
