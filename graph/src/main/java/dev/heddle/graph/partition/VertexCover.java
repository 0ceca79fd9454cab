package dev.heddle.graph.partition;

import dev.heddle.kernel.Csr;

/**
 * The fewest vertices of a bipartite graph, rows and columns, that all arcs have an end among: as
 * many as a largest matching has arcs (Kőnig, 1931). Of all such covers it is the one with the most
 * rows.
 *
 * <p>Rows and columns that are reached from free rows, in turns by any arc and back by matched
 * ones, are columns of the cover; rows that are not reached are its rows.
 */
final class VertexCover {
  private final boolean[] reachedRow;
  private final boolean[] reachedColumn;
  private final int size;

  private VertexCover(Csr arcs, BipartiteMatching matching) {
    reachedRow = new boolean[arcs.rows()];
    reachedColumn = new boolean[arcs.cols()];
    size = matching.size();
    int[] rows = new int[arcs.rows()];
    int end = 0;
    for (int row = 0; row < rows.length; row++) {
      if (matching.isFree(row)) {
        reachedRow[row] = true;
        rows[end++] = row;
      }
    }
    for (int at = 0; at < end; at++) {
      int row = rows[at];
      for (long arc = arcs.offset(row), stop = arcs.offset(row + 1); arc < stop; arc++) {
        int column = arcs.id(arc);
        reachedColumn[column] = true;
        // Were it free, the matching could be larger.
        int then = matching.rowOf(column);
        if (!reachedRow[then]) {
          reachedRow[then] = true;
          rows[end++] = then;
        }
      }
    }
  }

  static VertexCover of(Csr arcs) {
    return new VertexCover(arcs, BipartiteMatching.of(arcs));
  }

  int size() {
    return size;
  }

  boolean hasRow(int row) {
    return !reachedRow[row];
  }

  boolean hasColumn(int column) {
    return reachedColumn[column];
  }
}
