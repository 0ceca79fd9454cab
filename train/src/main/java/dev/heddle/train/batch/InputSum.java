package dev.heddle.train.batch;

import dev.heddle.graph.Features;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Fetch;

/**
 * Whether the input of a batch comes with the model's first aggregation, and over which neighbours.
 * That aggregation learns nothing where a model begins by summing dense features: made while the
 * input is gathered, it spares the vertices of the last hop rows, copies and gradients.
 */
enum InputSum {
  /** The model aggregates rows of all vertices itself. */
  NONE,
  /** Over the neighbours that the last hop has sampled, for each batch. */
  SAMPLED,
  /** Over all neighbours, once for all vertices: the last hop is never sampled. */
  WHOLE;

  /**
   * Of a model's batches.
   *
   * @param together whether workers compute them together: sources of the last hop then have rows
   *     at their owners, and are not read where they lie
   */
  static InputSum of(
      BatchSettings batches, Fetch fetch, ModelSpec model, Features features, boolean together) {
    if (!batches.sumsInput(model, features instanceof SparseFeatures)) {
      return NONE;
    }
    if (fetch.aggregatedInputs()) {
      return WHOLE;
    }
    return together ? NONE : SAMPLED;
  }
}
