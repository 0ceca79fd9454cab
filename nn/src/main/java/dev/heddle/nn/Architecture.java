package dev.heddle.nn;

import dev.heddle.graph.Normalisation;
import org.jspecify.annotations.Nullable;

/**
 * What has to be known of a network to prepare graphs, samples and rows of other workers for it:
 * one of those that are built in, or a user's own.
 */
public sealed interface Architecture permits ModelKind, CustomNetwork {
  /** The name users write. */
  String label();

  /** Whether a vertex aggregates itself through an arc of its own. */
  boolean selfLoops();

  /** How its layers sum the rows of sources; null where they do not, or by learnt weights. */
  @Nullable Normalisation aggregation();

  /**
   * Whether the first thing it does with features is to aggregate them: that takes no parameter, so
   * that it can be done before, once or for each batch.
   */
  boolean aggregatesFeatures();

  /** Whether it attends to arcs with learnt weights. */
  boolean attention();

  /** Whether it takes the largest of the rows of sources. */
  boolean takesLargest();
}
