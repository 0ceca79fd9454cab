package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Arcs by source from arcs by destination, or the other way round, by one counting sort.
 *
 * <p>Rows are read in order, so that the columns of the result ascend and equal arcs keep their
 * order, whether or not the columns of the input ascend.
 */
public final class Transpose {
  private Transpose() {}

  /** The transposed arcs; weights go with them. */
  public static Csr of(Memory memory, Csr csr) {
    // offsets[c + 1] first holds where the next arc of column c goes, and in the end where c ends:
    // one slot more than a Csr needs makes a second array of cursors unnecessary.
    MemorySegment offsets = memory.allocateLongs(csr.cols() + 2L);
    countColumns(csr, offsets);
    MemorySegment ids = memory.allocateInts(csr.arcs());
    MemorySegment weights = csr.weights();
    MemorySegment carried = weights == null ? null : memory.allocateFloats(csr.arcs());
    for (int row = 0; row < csr.rows(); row++) {
      long end = csr.offset(row + 1);
      for (long arc = csr.offset(row); arc < end; arc++) {
        long cursor = csr.id(arc) + 1L;
        long at = offsets.getAtIndex(JAVA_LONG, cursor);
        offsets.setAtIndex(JAVA_LONG, cursor, at + 1);
        ids.setAtIndex(JAVA_INT, at, row);
        carry(weights, arc, carried, at);
      }
    }
    return Csr.of(csr.cols(), csr.rows(), offsets, ids).withWeights(carried);
  }

  private static void countColumns(Csr csr, MemorySegment offsets) {
    for (long arc = 0, arcs = csr.arcs(); arc < arcs; arc++) {
      long slot = csr.id(arc) + 2L;
      offsets.setAtIndex(JAVA_LONG, slot, offsets.getAtIndex(JAVA_LONG, slot) + 1);
    }
    long sum = 0;
    for (long slot = 2; slot < csr.cols() + 2L; slot++) {
      sum += offsets.getAtIndex(JAVA_LONG, slot);
      offsets.setAtIndex(JAVA_LONG, slot, sum);
    }
  }

  private static void carry(
      @Nullable MemorySegment from, long arc, @Nullable MemorySegment to, long at) {
    if (from != null && to != null) {
      to.setAtIndex(JAVA_FLOAT, at, from.getAtIndex(JAVA_FLOAT, arc));
    }
  }
}
