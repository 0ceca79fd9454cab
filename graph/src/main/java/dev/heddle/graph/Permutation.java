package dev.heddle.graph;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** A new order of vertices, and the way back. */
public final class Permutation {
  private final int[] newToOld;
  private final int[] oldToNew;

  private Permutation(int[] newToOld, int[] oldToNew) {
    this.newToOld = newToOld;
    this.oldToNew = oldToNew;
  }

  /** The order in which place {@code i} is taken by vertex {@code newToOld[i]}. */
  public static Permutation of(int[] newToOld) {
    int[] oldToNew = new int[newToOld.length];
    Arrays.fill(oldToNew, -1);
    for (int i = 0; i < newToOld.length; i++) {
      int old = newToOld[i];
      if (old < 0 || old >= newToOld.length || oldToNew[old] >= 0) {
        throw new IllegalArgumentException("vertex " + old + " is out of range or taken twice");
      }
      oldToNew[old] = i;
    }
    return new Permutation(newToOld, oldToNew);
  }

  /** The order that changes nothing. */
  public static Permutation identity(int vertices) {
    int[] same = new int[vertices];
    Arrays.setAll(same, v -> v);
    return new Permutation(same, same);
  }

  public int size() {
    return newToOld.length;
  }

  /** The old number of the vertex that is now at {@code place}. */
  public int oldOf(int place) {
    return newToOld[place];
  }

  /** Where the vertex of that old number is now. */
  public int newOf(int old) {
    return oldToNew[old];
  }

  /** This order followed by another one of its places. */
  public Permutation then(Permutation next) {
    int[] both = new int[newToOld.length];
    Arrays.setAll(both, i -> newToOld[next.newToOld[i]]);
    return of(both);
  }

  /** Square arcs with both ends renumbered, columns ascending again. */
  public Csr arcs(Memory memory, Csr csr) {
    try (Memory scratch = new Memory()) {
      CsrBuilder transposed = new CsrBuilder(scratch, size(), size());
      for (long arc = 0, arcs = csr.arcs(); arc < arcs; arc++) {
        transposed.count(oldToNew[csr.id(arc)]);
      }
      transposed.counted(csr.weights() != null);
      for (int row = 0; row < csr.rows(); row++) {
        int old = newToOld[row];
        long end = csr.offset(old + 1);
        for (long arc = csr.offset(old); arc < end; arc++) {
          transposed.put(oldToNew[csr.id(arc)], row, csr.weight(arc));
        }
      }
      return Transpose.of(memory, transposed.build());
    }
  }

  /** Rows in the new order. */
  public Matrix rows(Memory memory, Matrix matrix) {
    Matrix moved = Matrix.allocate(memory, matrix.rows(), matrix.cols());
    long bytes = (long) matrix.cols() * Float.BYTES;
    for (int row = 0; row < matrix.rows(); row++) {
      MemorySegment.copy(
          matrix.data(), matrix.offset(newToOld[row]), moved.data(), moved.offset(row), bytes);
    }
    return moved;
  }

  /** Sparse rows in the new order. */
  public Csr rows(Memory memory, Csr csr) {
    CsrBuilder moved = new CsrBuilder(memory, csr.rows(), csr.cols());
    for (int row = 0; row < csr.rows(); row++) {
      moved.count(row, csr.degree(newToOld[row]));
    }
    moved.counted(csr.weights() != null);
    for (int row = 0; row < csr.rows(); row++) {
      long end = csr.offset(newToOld[row] + 1);
      for (long arc = csr.offset(newToOld[row]); arc < end; arc++) {
        moved.put(row, csr.id(arc), csr.weight(arc));
      }
    }
    return moved.build();
  }
}
