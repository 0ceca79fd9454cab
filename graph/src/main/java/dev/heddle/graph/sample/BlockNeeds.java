package dev.heddle.graph.sample;

import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.Csr;
import org.jspecify.annotations.Nullable;

/**
 * What a model needs of the blocks it is trained on.
 *
 * @param selfLoops whether a vertex is always among its own sources
 * @param aggregation how sources are summed; null for a model that looks at no arc's weight, as
 *     attention and maxima do
 * @param sumsLastHop whether the model's first aggregation is made before the model sees anything:
 *     the sources of the last hop then get no rows, and its arcs name vertices
 */
public record BlockNeeds(
    boolean selfLoops, @Nullable Normalisation aggregation, boolean sumsLastHop) {

  /** Whether sums, and not only means, have to come out right: then arcs drawn stand for others. */
  boolean sums() {
    return aggregation == Normalisation.SUM || aggregation == Normalisation.SYMMETRIC;
  }

  /** Whether sampled arcs need weights of their own. */
  boolean weighs(Csr in) {
    return sums() || (aggregation != null && in.weights() != null);
  }

  boolean symmetric() {
    return aggregation == Normalisation.SYMMETRIC;
  }
}
