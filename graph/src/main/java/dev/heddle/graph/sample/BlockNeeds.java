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
 * @param unlike whether arcs drawn into a vertex stand for different numbers of others: a mean is
 *     then their weighted sum over the vertex's degree in the whole graph, which is unbiased, and
 *     not over what happens to be in the sample, which is not
 */
public record BlockNeeds(
    boolean selfLoops, @Nullable Normalisation aggregation, boolean sumsLastHop, boolean unlike) {
  /** Needs of samples whose arcs into a vertex all stand for as many others. */
  public BlockNeeds(boolean selfLoops, @Nullable Normalisation aggregation, boolean sumsLastHop) {
    this(selfLoops, aggregation, sumsLastHop, false);
  }

  /** These needs where arcs drawn stand for different numbers of others. */
  BlockNeeds ofUnlikeArcs() {
    return new BlockNeeds(selfLoops, aggregation, sumsLastHop, true);
  }

  /** Whether sums, and not only means, have to come out right: then arcs drawn stand for others. */
  boolean sums() {
    return aggregation == Normalisation.SUM || aggregation == Normalisation.SYMMETRIC;
  }

  /** Whether sampled arcs need weights of their own. */
  boolean weighs(Csr in) {
    return sums() || (aggregation != null && (unlike || in.weights() != null));
  }

  /** Whether means are over degrees in the whole graph. */
  boolean wholeMeans() {
    return unlike && aggregation == Normalisation.MEAN;
  }

  /** Whether something of the degrees of all vertices is needed. */
  boolean scales() {
    return symmetric() || wholeMeans();
  }

  boolean symmetric() {
    return aggregation == Normalisation.SYMMETRIC;
  }
}
