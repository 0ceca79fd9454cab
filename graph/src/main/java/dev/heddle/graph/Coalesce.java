package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;

/** Makes one arc of equal ones. */
final class Coalesce {
  private Coalesce() {}

  /** The arcs without repetitions; weights of equal arcs are added. Columns must ascend. */
  static Csr of(Memory memory, Csr csr) {
    MemorySegment offsets = memory.allocateLongs(csr.rows() + 1L);
    long distinct = 0;
    for (int row = 0; row < csr.rows(); row++) {
      int previous = -1;
      long end = csr.offset(row + 1);
      for (long arc = csr.offset(row); arc < end; arc++) {
        int id = csr.id(arc);
        distinct += id == previous ? 0 : 1;
        previous = id;
      }
      offsets.setAtIndex(JAVA_LONG, row + 1L, distinct);
    }
    MemorySegment ids = memory.allocateInts(distinct);
    MemorySegment weights = csr.weights() == null ? null : memory.allocateFloats(distinct);
    long to = -1;
    for (int row = 0; row < csr.rows(); row++) {
      int previous = -1;
      long end = csr.offset(row + 1);
      for (long arc = csr.offset(row); arc < end; arc++) {
        int id = csr.id(arc);
        if (id != previous) {
          ids.setAtIndex(JAVA_INT, ++to, id);
          previous = id;
        }
        if (weights != null) {
          float sum = weights.getAtIndex(JAVA_FLOAT, to) + csr.weight(arc);
          weights.setAtIndex(JAVA_FLOAT, to, sum);
        }
      }
    }
    return Csr.of(csr.rows(), csr.cols(), offsets, ids).withWeights(weights);
  }
}
