package dev.heddle.graph;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;

/** Arcs by source from arcs by destination, or the other way round. */
public final class Transpose {
  private Transpose() {}

  /**
   * The transposed arcs, or the arcs themselves where they are their own transpose, as those of an
   * undirected graph are: they need no second copy.
   */
  static Csr orItself(Memory memory, Csr csr) {
    return isSymmetric(csr) ? csr : of(memory, csr);
  }

  /**
   * The transposed arcs; weights go with them. Columns of the result ascend and equal arcs keep
   * their order, whether or not the columns of the input ascend.
   */
  public static Csr of(Memory memory, Csr csr) {
    CsrBuilder transposed = new CsrBuilder(memory, csr.cols(), csr.rows());
    for (long arc = 0, arcs = csr.arcs(); arc < arcs; arc++) {
      transposed.count(csr.id(arc));
    }
    transposed.counted(csr.weights() != null);
    for (int row = 0; row < csr.rows(); row++) {
      long end = csr.offset(row + 1);
      for (long arc = csr.offset(row); arc < end; arc++) {
        transposed.put(csr.id(arc), row, csr.weight(arc));
      }
    }
    return transposed.build();
  }

  /**
   * Whether transposing would write the same arcs in the same places. Goes through the arcs as the
   * transposition does and stops at the first difference.
   */
  public static boolean isSymmetric(Csr csr) {
    if (csr.rows() != csr.cols()) {
      return false;
    }
    int[] used = new int[csr.rows()];
    for (int row = 0; row < csr.rows(); row++) {
      long end = csr.offset(row + 1);
      for (long arc = csr.offset(row); arc < end; arc++) {
        int column = csr.id(arc);
        long mirror = csr.offset(column) + used[column]++;
        if (mirror >= csr.offset(column + 1)
            || csr.id(mirror) != row
            || csr.weight(mirror) != csr.weight(arc)) {
          return false;
        }
      }
    }
    return true;
  }
}
