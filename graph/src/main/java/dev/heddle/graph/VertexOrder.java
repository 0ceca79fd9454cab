package dev.heddle.graph;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.util.Arrays;
import java.util.Locale;

/**
 * In which order vertices lie in memory. Aggregation reads the rows of neighbours; where vertices
 * with common neighbours are near each other, these rows are still in the cache.
 *
 * <p>Summing rows of 128 floats over 10 million arcs of 200 communities with shuffled ids took 512
 * ms of processor time in the original order, 499 by degree, 437 breadth first and 250 by
 * community, which took half a second to find. With half as many arcs inside communities: 523, 481,
 * 497 and 398 ms.
 */
public enum VertexOrder {
  /** {@link #COMMUNITY} where features outgrow caches, else {@link #ORIGINAL}. */
  AUTO,

  /** As the graph came. */
  ORIGINAL,

  /** By falling degree. */
  DEGREE,

  /** By breadth-first search from the first vertex, and from the next one not yet reached. */
  BFS,

  /** Communities together, and near those that they are connected with. */
  COMMUNITY;

  /** The name users write. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Rows of fewer vertices stay in a cache, whatever their order. */
  private static final int FEW = 1 << 14;

  /**
   * The order of these vertices; it depends on arcs and seed alone.
   *
   * @param memory of which some is taken until the order is found
   */
  public Permutation of(Csr in, long seed, Memory memory) {
    return switch (this) {
      case AUTO -> (in.rows() < FEW ? ORIGINAL : COMMUNITY).of(in, seed, memory);
      case ORIGINAL -> Permutation.identity(in.rows());
      case DEGREE -> Permutation.of(byDegree(in));
      case BFS -> Permutation.of(byDistance(in));
      case COMMUNITY -> Permutation.of(CommunityOrder.of(in, seed, memory));
    };
  }

  private static int[] byDegree(Csr in) {
    long[] keys = new long[in.rows()];
    for (int v = 0; v < keys.length; v++) {
      long rest = Integer.MAX_VALUE - Math.min(in.degree(v), Integer.MAX_VALUE);
      keys[v] = rest << Integer.SIZE | v;
    }
    Arrays.sort(keys);
    int[] order = new int[keys.length];
    Arrays.setAll(order, i -> (int) keys[i]);
    return order;
  }

  private static int[] byDistance(Csr in) {
    int[] order = new int[in.rows()];
    boolean[] reached = new boolean[in.rows()];
    int end = 0;
    int done = 0;
    for (int root = 0; root < in.rows(); root++) {
      if (reached[root]) {
        continue;
      }
      reached[root] = true;
      order[end++] = root;
      while (done < end) {
        int vertex = order[done++];
        long last = in.offset(vertex + 1);
        for (long arc = in.offset(vertex); arc < last; arc++) {
          int neighbour = in.id(arc);
          if (!reached[neighbour]) {
            reached[neighbour] = true;
            order[end++] = neighbour;
          }
        }
      }
    }
    return order;
  }
}
