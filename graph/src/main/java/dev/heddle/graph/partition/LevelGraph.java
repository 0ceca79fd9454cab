package dev.heddle.graph.partition;

import org.jspecify.annotations.Nullable;

/**
 * One level of the multilevel partitioner: an undirected graph without loops or repeated edges,
 * every edge an arc in both of its ends' lists, with weights of edges and loads of vertices.
 *
 * <p>A vertex has one load per constraint: how much it takes of what is to be balanced. Arrays are
 * fields because every loop of the partitioner runs over them.
 */
final class LevelGraph {
  final int vertices;

  /** Where the arcs of each vertex begin: {@code vertices + 1}. */
  final int[] offsets;

  final int[] ids;

  /** By arc; null where every edge weighs 1. */
  final int @Nullable [] weights;

  final int constraints;

  /** {@code loads[v * constraints + c]}. */
  final int[] loads;

  LevelGraph(int[] offsets, int[] ids, int @Nullable [] weights, Loads loads) {
    this.vertices = offsets.length - 1;
    this.offsets = offsets;
    this.ids = ids;
    this.weights = weights;
    this.constraints = loads.constraints();
    this.loads = loads.values();
  }

  int arcs() {
    return offsets[vertices];
  }

  int degree(int v) {
    return offsets[v + 1] - offsets[v];
  }

  int weight(int arc) {
    return weights == null ? 1 : weights[arc];
  }

  /** Weight of all edges of a vertex. */
  int strength(int v) {
    if (weights == null) {
      return degree(v);
    }
    int sum = 0;
    for (int arc = offsets[v], end = offsets[v + 1]; arc < end; arc++) {
      sum += weights[arc];
    }
    return sum;
  }

  /** The sum of all loads, by constraint. */
  long[] totals() {
    long[] totals = new long[constraints];
    for (int v = 0, at = 0; v < vertices; v++) {
      for (int c = 0; c < constraints; c++, at++) {
        totals[c] += loads[at];
      }
    }
    return totals;
  }
}
