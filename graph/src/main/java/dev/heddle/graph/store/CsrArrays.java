package dev.heddle.graph.store;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Writes sparse matrices, as they are or transposed. */
public final class CsrArrays {
  /** Arcs that are sorted in memory at a time: 128 MB of ids, as much of weights. */
  private static final long ARCS_AT_ONCE = 1L << 25;

  private final StoreDraft draft;
  private final Memory memory;
  private final long arcsAtOnce;

  /**
   * Arrays of a store that is being written.
   *
   * @param memory of which some is taken while arcs are sorted
   */
  public CsrArrays(StoreDraft draft, Memory memory) {
    this(draft, memory, ARCS_AT_ONCE);
  }

  CsrArrays(StoreDraft draft, Memory memory, long arcsAtOnce) {
    this.draft = draft;
    this.memory = memory;
    this.arcsAtOnce = arcsAtOnce;
  }

  /** The arrays of a matrix, under names that begin with {@code prefix}. */
  public void write(String prefix, Csr csr) {
    vector(prefix + Names.OFFSETS, ElementType.INT64, csr.offsets(), csr.rows() + 1L);
    vector(prefix + Names.IDS, ElementType.INT32, csr.ids(), csr.arcs());
    MemorySegment weights = csr.weights();
    if (weights != null) {
      vector(prefix + Names.WEIGHTS, ElementType.FLOAT32, weights, csr.arcs());
    }
  }

  private void vector(String name, ElementType type, MemorySegment values, long length) {
    try (ArrayWriter writer = draft.vector(name, type)) {
      writer.write(values, 0, length * type.bytes);
      writer.finish();
    }
  }

  /**
   * The arrays of the transposed matrix. Rows of the result are made a range at a time, as many as
   * fit a buffer of fixed size and into the memory that is left, each range by a pass over the
   * matrix.
   */
  public void writeTransposed(String prefix, Csr csr) {
    long[] offsets = offsets(csr);
    try (ArrayWriter writer = draft.vector(prefix + Names.OFFSETS, ElementType.INT64)) {
      for (long offset : offsets) {
        writer.writeLong(offset);
      }
      writer.finish();
    }
    try (Memory scratch = memory.child();
        ArrayWriter ids = draft.vector(prefix + Names.IDS, ElementType.INT32)) {
      ArrayWriter weights =
          csr.weights() == null ? null : draft.vector(prefix + Names.WEIGHTS, ElementType.FLOAT32);
      try (weights) {
        // Half of what is left: a few more passes rather than the last byte.
        long fit = memory.available() / (weights == null ? 8 : 16);
        long most = Math.max(Math.min(arcsAtOnce, fit), longest(offsets));
        Range range = new Range(scratch, csr, most);
        for (int row = 0; row < csr.cols(); row = range.end) {
          range.fill(offsets, row);
          range.write(ids, weights);
        }
        ids.finish();
        if (weights != null) {
          weights.finish();
        }
      }
    }
  }

  private static long[] offsets(Csr csr) {
    long[] offsets = new long[csr.cols() + 1];
    for (long arc = 0, arcs = csr.arcs(); arc < arcs; arc++) {
      offsets[csr.id(arc) + 1]++;
    }
    for (int row = 0; row < csr.cols(); row++) {
      offsets[row + 1] += offsets[row];
    }
    return offsets;
  }

  private static long longest(long[] offsets) {
    long longest = 0;
    for (int row = 0; row + 1 < offsets.length; row++) {
      longest = Math.max(longest, offsets[row + 1] - offsets[row]);
    }
    return longest;
  }

  /** Some rows of the transposed matrix. */
  private static final class Range {
    private final Csr csr;
    private final long capacity;
    private final MemorySegment ids;
    private final @Nullable MemorySegment weights;
    private long arcs;

    /** The row after the last. */
    private int end;

    Range(Memory memory, Csr csr, long capacity) {
      this.csr = csr;
      this.capacity = Math.min(capacity, csr.arcs());
      this.ids = memory.allocateInts(this.capacity);
      this.weights = csr.weights() == null ? null : memory.allocateFloats(this.capacity);
    }

    void fill(long[] offsets, int first) {
      long base = offsets[first];
      end = first + 1;
      while (end + 1 < offsets.length && offsets[end + 1] - base <= capacity) {
        end++;
      }
      arcs = offsets[end] - base;
      long[] next = Arrays.copyOfRange(offsets, first, end);
      for (int row = 0; row < csr.rows(); row++) {
        long last = csr.offset(row + 1);
        for (long arc = csr.offset(row); arc < last; arc++) {
          int id = csr.id(arc);
          if (id < first || id >= end) {
            continue;
          }
          long at = next[id - first]++ - base;
          ids.setAtIndex(JAVA_INT, at, row);
          if (weights != null) {
            weights.setAtIndex(JAVA_FLOAT, at, csr.weight(arc));
          }
        }
      }
    }

    void write(ArrayWriter idWriter, @Nullable ArrayWriter weightWriter) {
      idWriter.write(ids, 0, arcs * Integer.BYTES);
      if (weightWriter != null && weights != null) {
        weightWriter.write(weights, 0, arcs * Float.BYTES);
      }
    }
  }

  /** A matrix that was written, where it lies. */
  public Csr map(String prefix, Memory memory, int cols) {
    return draft.arrays(memory).csr(prefix, cols);
  }

  /**
   * The arcs by source, which are left out where they are the arcs by destination.
   *
   * @param out the transposed arcs where they are there already
   * @return whether they are left out
   */
  public boolean writeOut(Csr in, @Nullable Csr out) {
    if (out != null) {
      write(Names.OUT, out);
    } else {
      writeTransposed(Names.OUT, in);
    }
    try (Memory mapped = memory.child()) {
      if (!same(in, map(Names.OUT, mapped, in.rows()))) {
        return false;
      }
    }
    draft.remove(Names.OUT + Names.OFFSETS);
    draft.remove(Names.OUT + Names.IDS);
    draft.remove(Names.OUT + Names.WEIGHTS);
    return true;
  }

  /** Whether two matrices are the same, arc for arc. */
  static boolean same(Csr a, Csr b) {
    long arcs = a.arcs();
    return a.rows() == b.rows()
        && arcs == b.arcs()
        && same(a.offsets(), b.offsets(), (a.rows() + 1L) * JAVA_LONG.byteSize())
        && same(a.ids(), b.ids(), arcs * JAVA_INT.byteSize())
        && same(a.weights(), b.weights(), arcs * JAVA_FLOAT.byteSize());
  }

  private static boolean same(@Nullable MemorySegment a, @Nullable MemorySegment b, long bytes) {
    if (a == null || b == null) {
      return a == null && b == null;
    }
    return MemorySegment.mismatch(a, 0, bytes, b, 0, bytes) < 0;
  }
}
