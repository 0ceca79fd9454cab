package dev.heddle.graph.store;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.graph.store.ParallelCheck.Fault;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Checks sparse arrays: offsets that rise, ids in range that ascend, finite weights, and that one
 * is the transpose of the other.
 *
 * <p>Transposes are compared by sums of hashes of their arcs, keyed anew each time: a pass over
 * each where they lie. Only if these differ is the arc looked for that one of them lacks.
 */
final class ArcCheck {
  private static final int ROWS = 1 << 14;
  private static final long VALUES = 1 << 18;

  private final ParallelCheck check;
  private final StoreArrays arrays;

  ArcCheck(ParallelCheck check, StoreArrays arrays) {
    this.check = check;
    this.arrays = arrays;
  }

  /** Sparse rows, checked. */
  Csr rows(String prefix, int cols) {
    Csr csr = arrays.csr(prefix, cols);
    long total = arrays.rows(prefix + Names.IDS);
    String offsets = prefix + Names.OFFSETS;
    if (csr.offset(0) != 0) {
      throw check.fault(offsets, "does not begin with 0");
    }
    check.run(csr.rows(), ROWS, (from, to) -> offsets(csr, offsets, total, (int) from, (int) to));
    if (csr.offset(csr.rows()) != total) {
      throw check.fault(offsets, "ends with " + csr.offset(csr.rows()) + ", not " + total);
    }
    check.run(csr.rows(), ROWS, (from, to) -> ids(csr, prefix, (int) from, (int) to));
    MemorySegment weights = csr.weights();
    if (weights != null) {
      check.run(total, VALUES, (from, to) -> finite(weights, prefix + Names.WEIGHTS, from, to));
    }
    return csr;
  }

  private static @Nullable Fault offsets(Csr csr, String name, long total, int first, int end) {
    MemorySegment offsets = csr.offsets();
    long from = offsets.getAtIndex(JAVA_LONG, first);
    for (int row = first; row < end; row++) {
      long to = offsets.getAtIndex(JAVA_LONG, row + 1L);
      if (to < from || to > total || from < 0) {
        return new Fault(name, "row " + row + " goes from " + from + " to " + to);
      }
      from = to;
    }
    return null;
  }

  private static @Nullable Fault ids(Csr csr, String prefix, int first, int end) {
    int cols = csr.cols();
    for (int row = first; row < end; row++) {
      int previous = 0;
      long last = csr.offset(row + 1);
      for (long arc = csr.offset(row); arc < last; arc++) {
        int id = csr.id(arc);
        if (id < previous || id >= cols) {
          return new Fault(
              prefix + Names.IDS,
              id < 0 || id >= cols
                  ? "row " + row + " has " + id + ": out of range"
                  : "row " + row + " has " + id + " after " + previous);
        }
        previous = id;
      }
    }
    return null;
  }

  private static @Nullable Fault finite(MemorySegment values, String name, long from, long to) {
    for (long i = from; i < to; i++) {
      float value = values.getAtIndex(JAVA_FLOAT, i);
      if (!Float.isFinite(value)) {
        return new Fault(name, "value " + i + " is " + value);
      }
    }
    return null;
  }

  /** Whether the rows of {@code a} are the columns of {@code b}, equal arcs in the same order. */
  void transposed(Csr a, Csr b, String name) {
    if ((a.weights() == null) != (b.weights() == null)) {
      throw check.fault(name + Names.IDS, "only one of the two directions has weights");
    }
    long key = System.nanoTime();
    if (a.arcs() == b.arcs() && hash(a, key, false) == hash(b, key, true)) {
      return;
    }
    long[] next = new long[b.rows()];
    for (int row = 0; row < b.rows(); row++) {
      next[row] = b.offset(row);
    }
    for (int row = 0; row < a.rows(); row++) {
      for (long arc = a.offset(row), end = a.offset(row + 1); arc < end; arc++) {
        int id = a.id(arc);
        long mirror = next[id]++;
        if (mirror >= b.offset(id + 1)
            || b.id(mirror) != row
            || Float.floatToRawIntBits(b.weight(mirror))
                != Float.floatToRawIntBits(a.weight(arc))) {
          throw check.fault(
              name + Names.IDS,
              "is not the transpose: it lacks the arc between " + id + " and " + row);
        }
      }
    }
    throw check.fault(name + Names.IDS, "is not the transpose: it has more arcs");
  }

  /** The sum over arcs of a hash of their ends, weight, and place among equal ones. */
  private long hash(Csr csr, long key, boolean turned) {
    return check.sum(
        csr.rows(),
        ROWS,
        (from, to) -> {
          long sum = 0;
          for (int row = (int) from; row < to; row++) {
            int previous = -1;
            int equal = 0;
            long last = csr.offset(row + 1);
            for (long arc = csr.offset(row); arc < last; arc++) {
              int id = csr.id(arc);
              equal = id == previous ? equal + 1 : 0;
              previous = id;
              long ends = turned ? (long) id << 32 | row : (long) row << 32 | id;
              long weight = Float.floatToRawIntBits(csr.weight(arc));
              sum += Draws.mix(Draws.mix(ends ^ key) + (weight << 32 ^ equal));
            }
          }
          return sum;
        });
  }
}
