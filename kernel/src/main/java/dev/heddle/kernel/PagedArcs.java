package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/**
 * Arcs that lie in a file larger than memory, of which those of some rows are needed at a time: as
 * {@link PagedRows}, but where a row's arcs are is in the file, too, and has to be read first.
 */
public final class PagedArcs {
  private final Csr arcs;
  private final long offsets;
  private final long ids;

  private PagedArcs(Csr arcs) {
    this.arcs = arcs;
    offsets = arcs.offsets().address();
    ids = arcs.ids().address();
  }

  /** From now on, what is not asked for is not read along. */
  public static PagedArcs of(Csr arcs) {
    PageAdvice.RANDOM.give(arcs.offsets().address(), arcs.offsets().byteSize());
    PageAdvice.RANDOM.give(arcs.ids().address(), arcs.ids().byteSize());
    MemorySegment weights = arcs.weights();
    if (weights != null) {
      PageAdvice.RANDOM.give(weights.address(), weights.byteSize());
    }
    return new PagedArcs(arcs);
  }

  /** Begins to read where a row's arcs are. */
  public void expectPlace(int row) {
    PageAdvice.SOON.give(offsets + Long.BYTES * (long) row, 2 * Long.BYTES);
  }

  /** Begins to read a row's arcs; best when their place was expected some time ago. */
  public void expect(int row) {
    long first = arcs.offset(row);
    long count = arcs.offset(row + 1) - first;
    PageAdvice.SOON.give(ids + Integer.BYTES * first, Integer.BYTES * count);
    MemorySegment weights = arcs.weights();
    if (weights != null) {
      PageAdvice.SOON.give(weights.address() + Float.BYTES * first, Float.BYTES * count);
    }
  }
}
