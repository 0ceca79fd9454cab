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
  TRAIN;

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
}
