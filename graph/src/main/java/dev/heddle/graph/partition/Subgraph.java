package dev.heddle.graph.partition;

import java.util.Arrays;

/**
 * The vertices of one side and the edges among them.
 *
 * @param names what its vertices are in the graph it was taken from
 */
@SuppressWarnings("ArrayRecordComponent") // Many numbers, handed on and never compared.
record Subgraph(LevelGraph graph, int[] names) {
  static Subgraph of(LevelGraph graph, int[] sides, int side) {
    int n = graph.vertices;
    int[] numbers = new int[n];
    int[] names = new int[n];
    int count = 0;
    int arcs = 0;
    for (int v = 0; v < n; v++) {
      if (sides[v] == side) {
        names[count] = v;
        numbers[v] = count++;
        arcs += graph.degree(v);
      }
    }
    int[] offsets = new int[count + 1];
    int[] ids = new int[arcs];
    int[] weights = new int[arcs];
    int constraints = graph.constraints;
    int[] loads = new int[count * constraints];
    int end = 0;
    for (int i = 0; i < count; i++) {
      int v = names[i];
      System.arraycopy(graph.loads, v * constraints, loads, i * constraints, constraints);
      for (int arc = graph.offsets[v]; arc < graph.offsets[v + 1]; arc++) {
        int u = graph.ids[arc];
        if (sides[u] == side) {
          ids[end] = numbers[u];
          weights[end++] = graph.weight(arc);
        }
      }
      offsets[i + 1] = end;
    }
    LevelGraph half = new LevelGraph(offsets, ids, weights, new Loads(constraints, loads));
    return new Subgraph(half, Arrays.copyOf(names, count));
  }
}
