package dev.heddle.graph.partition;

import dev.heddle.kernel.Csr;
import java.util.Arrays;

/**
 * A largest set of arcs of a bipartite graph, rows to columns, no two of which share an end
 * (Hopcroft & Karp, "An n^5/2 Algorithm for Maximum Matchings in Bipartite Graphs", SIAM J. Comput.
 * 2(4), 1973): {@code O(arcs · √vertices)}.
 *
 * <p>Every phase looks for the shortest paths from a free row to a free column that leave the
 * matching and come back to it in turns, by breadth, and takes as many of them as do not meet, by
 * depth; on each, what was matched and what was not change places.
 */
final class BipartiteMatching {
  private static final int FREE = -1;

  private final Csr arcs;
  private final int[] columnOf;
  private final int[] rowOf;
  private int size;

  private BipartiteMatching(Csr arcs) {
    this.arcs = arcs;
    columnOf = new int[arcs.rows()];
    rowOf = new int[arcs.cols()];
    Arrays.fill(columnOf, FREE);
    Arrays.fill(rowOf, FREE);
  }

  static BipartiteMatching of(Csr arcs) {
    BipartiteMatching matching = new BipartiteMatching(arcs);
    matching.begin();
    Phases phases = matching.new Phases();
    while (phases.layer()) {
      phases.augment();
    }
    return matching;
  }

  /** Matches whatever is free at first sight, which is most of it. */
  private void begin() {
    for (int row = 0; row < columnOf.length; row++) {
      for (long arc = arcs.offset(row), end = arcs.offset(row + 1); arc < end; arc++) {
        if (rowOf[arcs.id(arc)] == FREE) {
          match(row, arcs.id(arc));
          size++;
          break;
        }
      }
    }
  }

  private void match(int row, int column) {
    columnOf[row] = column;
    rowOf[column] = row;
  }

  int size() {
    return size;
  }

  boolean isFree(int row) {
    return columnOf[row] == FREE;
  }

  /** The column that a row is matched with; negative if there is none. */
  int columnOf(int row) {
    return columnOf[row];
  }

  /** The row that a column is matched with; negative if there is none. */
  int rowOf(int column) {
    return rowOf[column];
  }

  /** The search, with what it needs to remember. */
  private final class Phases {
    private static final int NOWHERE = -1;

    /** Rows on the way to a row on a shortest path from a free one. */
    private final int[] depth = new int[columnOf.length];

    /** The next arc of a row to be tried in this phase. */
    private final long[] next = new long[columnOf.length];

    /** Rows to be looked at, then the rows of a path. */
    private final int[] rows = new int[columnOf.length];

    /** Finds how far rows are from free ones; false if no free column can be reached. */
    boolean layer() {
      Arrays.fill(depth, NOWHERE);
      int end = 0;
      for (int row = 0; row < depth.length; row++) {
        next[row] = arcs.offset(row);
        if (isFree(row)) {
          depth[row] = 0;
          rows[end++] = row;
        }
      }
      int last = Integer.MAX_VALUE;
      for (int at = 0; at < end && depth[rows[at]] <= last; at++) {
        int row = rows[at];
        for (long arc = arcs.offset(row), stop = arcs.offset(row + 1); arc < stop; arc++) {
          int then = rowOf[arcs.id(arc)];
          if (then == FREE) {
            last = depth[row];
          } else if (depth[then] == NOWHERE) {
            depth[then] = depth[row] + 1;
            rows[end++] = then;
          }
        }
      }
      return last < Integer.MAX_VALUE;
    }

    void augment() {
      for (int row = 0; row < depth.length; row++) {
        if (isFree(row) && augmentFrom(row)) {
          size++;
        }
      }
    }

    /** Looks for a path by depth, without recursion: paths may be as long as there are rows. */
    private boolean augmentFrom(int free) {
      int length = 1;
      rows[0] = free;
      while (length > 0) {
        int row = rows[length - 1];
        if (next[row] == arcs.offset(row + 1)) {
          length--;
          continue;
        }
        int then = rowOf[arcs.id(next[row]++)];
        if (then == FREE) {
          for (int i = length - 1; i >= 0; i--) {
            match(rows[i], arcs.id(next[rows[i]] - 1));
          }
          return true;
        }
        if (depth[then] == depth[row] + 1) {
          rows[length++] = then;
        }
      }
      return false;
    }
  }
}
