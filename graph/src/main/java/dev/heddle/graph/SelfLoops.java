package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;

/**
 * Gives every vertex exactly one self-loop, as GCN's {@code Â = A + I} wants it (Kipf & Welling,
 * ICLR 2017).
 *
 * <p>A loop that is already there keeps its weight (of several, the last); a new one weighs 1. This
 * is what {@code add_remaining_self_loops} of PyTorch Geometric does.
 */
public final class SelfLoops {
  private SelfLoops() {}

  /** The arcs with one loop per row; row {@code v} is source {@code v}, so rows ≤ columns. */
  public static Csr added(Memory memory, Csr csr) {
    if (csr.rows() > csr.cols()) {
      throw new IllegalArgumentException(
          "self-loops need every destination among the sources, not " + csr);
    }
    MemorySegment offsets = memory.allocateLongs(csr.rows() + 1L);
    long arcs = 0;
    for (int row = 0; row < csr.rows(); row++) {
      arcs += csr.degree(row) - loops(csr, row) + 1;
      offsets.setAtIndex(JAVA_LONG, row + 1L, arcs);
    }
    MemorySegment ids = memory.allocateInts(arcs);
    MemorySegment weights = csr.weights() == null ? null : memory.allocateFloats(arcs);
    long to = 0;
    for (int row = 0; row < csr.rows(); row++) {
      long end = csr.offset(row + 1);
      float loopWeight = 1;
      long loopAt = -1;
      for (long arc = csr.offset(row); arc < end; arc++) {
        int id = csr.id(arc);
        if (id >= row && loopAt < 0) {
          loopAt = to++;
        }
        if (id == row) {
          loopWeight = csr.weight(arc);
          continue;
        }
        ids.setAtIndex(JAVA_INT, to, id);
        if (weights != null) {
          weights.setAtIndex(JAVA_FLOAT, to, csr.weight(arc));
        }
        to++;
      }
      if (loopAt < 0) {
        loopAt = to++;
      }
      ids.setAtIndex(JAVA_INT, loopAt, row);
      if (weights != null) {
        weights.setAtIndex(JAVA_FLOAT, loopAt, loopWeight);
      }
    }
    return Csr.of(csr.rows(), csr.cols(), offsets, ids).withWeights(weights);
  }

  /** Whether any vertex has one. */
  public static boolean any(Csr csr) {
    for (int row = 0; row < csr.rows(); row++) {
      if (loops(csr, row) > 0) {
        return true;
      }
    }
    return false;
  }

  /** What the loop of a vertex weighs: as {@link #added} has it, 1 where there is none. */
  public static float weight(Csr csr, int row) {
    float weight = 1;
    for (long arc = csr.offset(row), end = csr.offset(row + 1); arc < end; arc++) {
      if (csr.id(arc) == row) {
        weight = csr.weight(arc);
      }
    }
    return weight;
  }

  /** The arcs without any loop. */
  public static Csr removed(Memory memory, Csr csr) {
    CsrBuilder kept = new CsrBuilder(memory, csr.rows(), csr.cols());
    for (int row = 0; row < csr.rows(); row++) {
      for (long arc = csr.offset(row), end = csr.offset(row + 1); arc < end; arc++) {
        if (csr.id(arc) != row) {
          kept.count(row);
        }
      }
    }
    kept.counted(csr.weights() != null);
    for (int row = 0; row < csr.rows(); row++) {
      for (long arc = csr.offset(row), end = csr.offset(row + 1); arc < end; arc++) {
        if (csr.id(arc) != row) {
          kept.put(row, csr.id(arc), csr.weight(arc));
        }
      }
    }
    return kept.build();
  }

  /** How many arcs of a row come from the row's own vertex. */
  static long loops(Csr csr, int row) {
    long count = 0;
    long end = csr.offset(row + 1);
    for (long arc = csr.offset(row); arc < end; arc++) {
      if (csr.id(arc) == row) {
        count++;
      }
    }
    return count;
  }
}
