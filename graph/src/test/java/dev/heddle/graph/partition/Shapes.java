package dev.heddle.graph.partition;

import dev.heddle.graph.Graph;
import dev.heddle.graph.Split;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Memory;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Graphs whose best partitions are known, or which are awkward. */
final class Shapes {
  private Shapes() {}

  /** The graph of pairs, each an arc both ways. */
  static Graph undirected(int vertices, int[][] edges) {
    return graph(vertices, edges, true, null);
  }

  static Graph directed(int vertices, int[][] arcs) {
    return graph(vertices, arcs, false, null);
  }

  static Graph graph(int vertices, int[][] edges, boolean both, int @Nullable [] train) {
    int[][] sources = new int[vertices][0];
    for (int[] edge : edges) {
      sources[edge[1]] = with(sources[edge[1]], edge[0]);
      if (both) {
        sources[edge[0]] = with(sources[edge[0]], edge[1]);
      }
    }
    for (int[] row : sources) {
      Arrays.sort(row);
    }
    Memory memory = new Memory();
    Csr in = Csr.of(memory, vertices, sources);
    Split split = train == null ? null : new Split(train, new int[0], new int[0]);
    return Graph.builder(memory, "shape", in).out(both ? in : null).split(split).build();
  }

  private static int[] with(int[] row, int more) {
    int[] longer = Arrays.copyOf(row, row.length + 1);
    longer[row.length] = more;
    return longer;
  }

  /** Cliques in a row, each joined to the next by one edge. */
  static int[][] cliques(int count, int size) {
    TreeSet<Long> edges = new TreeSet<>();
    for (int c = 0; c < count; c++) {
      for (int i = 0; i < size; i++) {
        for (int j = 0; j < i; j++) {
          edges.add(pair(c * size + j, c * size + i));
        }
      }
      if (c > 0) {
        edges.add(pair(c * size - 1, c * size));
      }
    }
    return pairs(edges);
  }

  static int[][] grid(int width, int height) {
    TreeSet<Long> edges = new TreeSet<>();
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        if (x > 0) {
          edges.add(pair(y * width + x - 1, y * width + x));
        }
        if (y > 0) {
          edges.add(pair((y - 1) * width + x, y * width + x));
        }
      }
    }
    return pairs(edges);
  }

  /** Random edges with a few hubs, loops left out. */
  static int[][] hubs(int vertices, int edges, long seed) {
    TreeSet<Long> all = new TreeSet<>();
    for (int i = 0; i < edges; i++) {
      long bits = Draws.at(seed, i);
      int a = Draws.below(bits, vertices);
      int b = Draws.below(Draws.mix(bits), i % 3 == 0 ? Math.min(5, vertices) : vertices);
      if (a != b) {
        all.add(pair(Math.min(a, b), Math.max(a, b)));
      }
    }
    return pairs(all);
  }

  private static long pair(int a, int b) {
    return ((long) a << 32) | b;
  }

  private static int[][] pairs(Set<Long> edges) {
    return edges.stream()
        .map(e -> new int[] {(int) (e >>> 32), (int) (long) e})
        .toArray(int[][]::new);
  }
}
