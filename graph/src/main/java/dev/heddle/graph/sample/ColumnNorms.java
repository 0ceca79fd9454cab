package dev.heddle.graph.sample;

import dev.heddle.graph.Normalisation;
import org.jspecify.annotations.Nullable;

/**
 * What a source is worth to rows that aggregate: the squared norm of its column {@code Σ_v a_vu²},
 * {@code a} being what the layer multiplies it by, or the norm itself (flat).
 *
 * <p>{@code a_vu} is {@code w (d_v d_u)^-1/2} where normalisation is symmetric, {@code w/d_v} in
 * means, {@code w} in sums; attention and maxima, which have no such number, take {@code 1/d_v}.
 */
record ColumnNorms(NeighbourArcs arcs, @Nullable Normalisation aggregation, boolean flat) {
  /** What arcs into a vertex have in common, squared. */
  double ofDestination(int vertex) {
    if (aggregation == Normalisation.SUM) {
      return 1;
    }
    double a = aggregation == null ? 1.0 / arcs.others().degree(vertex) : arcs.scale(vertex);
    return a * a;
  }

  /**
   * What a source is worth.
   *
   * @param sum over its arcs, of what {@link #ofDestination} says times the squared weight
   */
  double worth(int source, double sum) {
    double all = sum;
    if (aggregation == Normalisation.SYMMETRIC) {
      double a = arcs.scale(source);
      all *= a * a;
    }
    return flat ? Math.sqrt(all) : all;
  }
}
