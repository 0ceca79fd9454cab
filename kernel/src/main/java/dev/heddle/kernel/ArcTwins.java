package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * Arcs both ways, and where each of one way stands in the other: what is computed for an arc on the
 * way in is found again on the way out.
 *
 * @param in per destination the sources of its arcs
 * @param out per source the destinations of its arcs
 * @param inArcs longs: the index in {@code in} of every arc of {@code out}
 */
public record ArcTwins(Csr in, Csr out, MemorySegment inArcs) {
  /** Pairs arcs with their transpose; columns of both must ascend. */
  public static ArcTwins of(Memory memory, Csr in, Csr out) {
    if (in.rows() != out.cols() || in.cols() != out.rows() || in.arcs() != out.arcs()) {
      throw new IllegalArgumentException(out + " is not the transpose of " + in);
    }
    MemorySegment inArcs = memory.allocateLongs(out.arcs());
    int[] used = new int[in.rows()];
    for (int source = 0; source < out.rows(); source++) {
      long end = out.offset(source + 1);
      for (long arc = out.offset(source); arc < end; arc++) {
        int destination = out.id(arc);
        inArcs.setAtIndex(JAVA_LONG, arc, in.offset(destination) + used[destination]++);
      }
    }
    return new ArcTwins(in, out, inArcs);
  }

  long inArc(long outArc) {
    return inArcs.getAtIndex(JAVA_LONG, outArc);
  }
}
