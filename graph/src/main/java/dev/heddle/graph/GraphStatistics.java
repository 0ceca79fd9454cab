package dev.heddle.graph;

import dev.heddle.kernel.Csr;
import java.util.Arrays;
import java.util.List;

/**
 * What a graph looks like, computed in a few passes over it and in memory linear in its vertices.
 *
 * @param loops arcs from a vertex to itself
 * @param isolated vertices without any arc
 * @param components connected parts, directions aside
 * @param largestComponent vertices of the largest one
 * @param homophily share of the arcs between vertices of known classes that join equal ones; NaN
 *     without any
 * @param degrees quantiles of the numbers of in-arcs: 0, 1, 5, 25, 50, 75, 95, 99 and 100 %
 */
public record GraphStatistics(
    long loops,
    int isolated,
    int components,
    int largestComponent,
    double homophily,
    List<Long> degrees) {
  /** Of which shares the degrees are. */
  public static final List<Double> QUANTILES =
      List.of(0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0);

  public static GraphStatistics of(Graph graph) {
    Csr in = graph.in();
    ClassLabels classes = graph.labels() instanceof ClassLabels c ? c : null;
    int[] root = new int[in.rows()];
    boolean[] touched = new boolean[in.rows()];
    Arrays.setAll(root, v -> v);
    long loops = 0;
    long known = 0;
    long equal = 0;
    for (int v = 0; v < in.rows(); v++) {
      for (long arc = in.offset(v), end = in.offset(v + 1); arc < end; arc++) {
        int u = in.id(arc);
        touched[u] = true;
        touched[v] = true;
        loops += u == v ? 1 : 0;
        join(root, u, v);
        if (classes != null && bothKnown(classes, u, v)) {
          known++;
          equal += classes.at(u) == classes.at(v) ? 1 : 0;
        }
      }
    }
    int isolated = 0;
    for (boolean t : touched) {
      isolated += t ? 0 : 1;
    }
    int[] sizes = new int[in.rows()];
    int components = 0;
    int largest = 0;
    for (int v = 0; v < in.rows(); v++) {
      int size = ++sizes[find(root, v)];
      components += size == 1 ? 1 : 0;
      largest = Math.max(largest, size);
    }
    double homophily = known == 0 ? Double.NaN : (double) equal / known;
    return new GraphStatistics(loops, isolated, components, largest, homophily, quantiles(in));
  }

  private static boolean bothKnown(ClassLabels classes, int u, int v) {
    return classes.at(u) != ClassLabels.NONE && classes.at(v) != ClassLabels.NONE;
  }

  /** Union by the smaller number; {@link #find} halves paths. */
  private static void join(int[] root, int u, int v) {
    int a = find(root, u);
    int b = find(root, v);
    root[Math.max(a, b)] = Math.min(a, b);
  }

  private static int find(int[] root, int v) {
    while (root[v] != v) {
      root[v] = root[root[v]];
      v = root[v];
    }
    return v;
  }

  private static List<Long> quantiles(Csr in) {
    long[] degrees = new long[in.rows()];
    for (int v = 0; v < degrees.length; v++) {
      degrees[v] = in.degree(v);
    }
    Arrays.sort(degrees);
    int last = degrees.length - 1;
    return QUANTILES.stream().map(q -> degrees[(int) Math.round(q * last)]).toList();
  }
}
