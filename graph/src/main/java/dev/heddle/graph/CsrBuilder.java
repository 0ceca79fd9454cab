package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A counting sort of arcs by row, in two passes over the same arcs: {@link #count} each, then
 * {@link #put} each. A row keeps its arcs in the order in which they were put.
 */
public final class CsrBuilder {
  private final Memory memory;
  private final int rows;
  private final int cols;

  // offsets[r + 1] first holds where the next arc of row r goes, and in the end where r ends: one
  // slot more than a Csr needs makes a second array of cursors unnecessary.
  private final MemorySegment offsets;
  private MemorySegment ids = MemorySegment.NULL;
  private @Nullable MemorySegment weights;

  public CsrBuilder(Memory memory, int rows, int cols) {
    this.memory = memory;
    this.rows = rows;
    this.cols = cols;
    this.offsets = memory.allocateLongs(rows + 2L);
  }

  /** Bytes of memory that arcs take which were built so. */
  public static long bytes(int rows, long arcs, boolean weighted) {
    return Memory.padded(Long.BYTES * (rows + 2L)) + (weighted ? 2 : 1) * Memory.padded(4 * arcs);
  }

  public void count(int row) {
    count(row, 1);
  }

  public void count(int row, long arcs) {
    add(row + 2L, arcs);
  }

  /** Ends the counting. */
  public void counted(boolean weighted) {
    long sum = 0;
    for (long slot = 2; slot < rows + 2L; slot++) {
      sum += offsets.getAtIndex(JAVA_LONG, slot);
      offsets.setAtIndex(JAVA_LONG, slot, sum);
    }
    ids = memory.allocateInts(sum);
    weights = weighted ? memory.allocateFloats(sum) : null;
  }

  /** Puts an arc; the weight counts only where there are weights. */
  public void put(int row, int id, float weight) {
    long at = add(row + 1L, 1);
    ids.setAtIndex(JAVA_INT, at, id);
    if (weights != null) {
      weights.setAtIndex(JAVA_FLOAT, at, weight);
    }
  }

  private long add(long slot, long value) {
    long old = offsets.getAtIndex(JAVA_LONG, slot);
    offsets.setAtIndex(JAVA_LONG, slot, old + value);
    return old;
  }

  /** The arcs, all counted ones having been put. */
  public Csr build() {
    return Csr.of(rows, cols, offsets, ids).withWeights(weights);
  }
}
