package dev.heddle.graph;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;

/** A new order of vertices, and the way back. */
public final class Permutation {
  private final int size;

  /** Both empty where nothing moves: a graph opens without a pass over its vertices. */
  private final int[] newToOld;

  private final int[] oldToNew;

  private Permutation(int size, int[] newToOld, int[] oldToNew) {
    this.size = size;
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
    return new Permutation(newToOld.length, newToOld, oldToNew);
  }

  /** The order that changes nothing; it takes no space. */
  public static Permutation identity(int vertices) {
    return new Permutation(vertices, new int[0], new int[0]);
  }

  public int size() {
    return size;
  }

  /** Whether this is known to change nothing. */
  public boolean isIdentity() {
    return newToOld.length < size;
  }

  /** The old number of the vertex that is now at {@code place}. */
  public int oldOf(int place) {
    return isIdentity() ? Objects.checkIndex(place, size) : newToOld[place];
  }

  /** Where the vertex of that old number is now. */
  public int newOf(int old) {
    return isIdentity() ? Objects.checkIndex(old, size) : oldToNew[old];
  }

  /** This order followed by another one of its places. */
  public Permutation then(Permutation next) {
    if (next.isIdentity()) {
      return this;
    }
    int[] both = new int[size];
    Arrays.setAll(both, i -> oldOf(next.oldOf(i)));
    return of(both);
  }

  /** Square arcs with both ends renumbered, columns ascending again. */
  public Csr arcs(Memory memory, Csr csr) {
    try (Memory scratch = memory.child()) {
      CsrBuilder transposed = new CsrBuilder(scratch, size(), size());
      for (long arc = 0, arcs = csr.arcs(); arc < arcs; arc++) {
        transposed.count(newOf(csr.id(arc)));
      }
      transposed.counted(csr.weights() != null);
      for (int row = 0; row < csr.rows(); row++) {
        int old = oldOf(row);
        long end = csr.offset(old + 1);
        for (long arc = csr.offset(old); arc < end; arc++) {
          transposed.put(newOf(csr.id(arc)), row, csr.weight(arc));
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
          matrix.data(), matrix.offset(oldOf(row)), moved.data(), moved.offset(row), bytes);
    }
    return moved;
  }

  /** Sparse rows in the new order. */
  public Csr rows(Memory memory, Csr csr) {
    CsrBuilder moved = new CsrBuilder(memory, csr.rows(), csr.cols());
    for (int row = 0; row < csr.rows(); row++) {
      moved.count(row, csr.degree(oldOf(row)));
    }
    moved.counted(csr.weights() != null);
    for (int row = 0; row < csr.rows(); row++) {
      long end = csr.offset(oldOf(row) + 1);
      for (long arc = csr.offset(oldOf(row)); arc < end; arc++) {
        moved.put(row, csr.id(arc), csr.weight(arc));
      }
    }
    return moved.build();
  }
}
