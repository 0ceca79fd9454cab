package dev.heddle.train.batch;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.graph.sample.GrowingBuffer;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;

/** The sparse features of a macrobatch's rows, in memory that is kept and grows. */
final class SparseMacroRows {
  private final int width;
  private final GrowingBuffer offsets;
  private final GrowingBuffer ids;
  private final GrowingBuffer values;
  private Csr rows;

  SparseMacroRows(int width, Memory memory) {
    this.width = width;
    offsets = new GrowingBuffer(memory);
    ids = new GrowingBuffer(memory);
    values = new GrowingBuffer(memory);
    offsets.require(Long.BYTES);
    rows = Csr.of(0, width, offsets.segment(), ids.segment());
  }

  /** Offsets of so many rows, to be written. */
  MemorySegment offsets(int count) {
    offsets.require((count + 1L) * Long.BYTES);
    return offsets.segment();
  }

  /** Rows whose offsets are written; what they have is to be. */
  Csr begin(int count) {
    long total = offsets.segment().getAtIndex(JAVA_LONG, count);
    ids.require(total * Integer.BYTES);
    values.require(total * Float.BYTES);
    rows = Csr.of(count, width, offsets.segment(), ids.segment()).withWeights(values.segment());
    return rows;
  }

  Csr rows() {
    return rows;
  }
}
