package dev.heddle.graph.partition;

import dev.heddle.graph.Graph;
import dev.heddle.graph.Split;

/** What parts are to have equally much of. */
public enum Constraint {
  /** Vertices: memory for rows, and dense products. */
  VERTICES,
  /** Arcs into the part's vertices: the work of aggregation. */
  ARCS,
  /** Training vertices: batches, and the loss. */
  TRAIN,
  /**
   * What a chunk of a pipeline costs, {@code 50 + in-degree} for each vertex: dense products take
   * as long for a vertex as aggregation for 50 arcs (GNNPipe, arXiv 2308.10087).
   */
  WORK;

  private static final int ARCS_OF_A_VERTEX = 50;

  /** Adds what each vertex has of this: to {@code loads[v * stride + at]}. */
  void load(Graph graph, int[] loads, int stride, int at) {
    switch (this) {
      case VERTICES -> {
        for (int v = 0; v < graph.vertices(); v++) {
          loads[v * stride + at] = 1;
        }
      }
      case ARCS -> {
        for (int v = 0; v < graph.vertices(); v++) {
          loads[v * stride + at] = Math.toIntExact(graph.in().degree(v));
        }
      }
      case WORK -> {
        for (int v = 0; v < graph.vertices(); v++) {
          loads[v * stride + at] = work(graph, v);
        }
      }
      case TRAIN -> {
        Split split = graph.split();
        if (split == null) {
          throw new IllegalArgumentException(
              "the graph has no split: its training vertices cannot be balanced");
        }
        for (int v : split.train()) {
          loads[v * stride + at] = 1;
        }
      }
    }
  }

  /** What a vertex counts in {@link #WORK}. */
  public static int work(Graph graph, int vertex) {
    return Math.toIntExact(ARCS_OF_A_VERTEX + graph.in().degree(vertex));
  }
}
