package dev.heddle.train.batch;

import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.nn.Model;
import dev.heddle.train.settings.BatchSettings;

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
   * Of the batches of so many workers. Where these sample together, sources of the last hop have
   * rows at their owners, and are not read where they lie.
   */
  static InputSum of(BatchSettings batches, Model model, Features features, int workers) {
    boolean shuffled = workers > 1 && batches.split() != null;
    boolean possible =
        features instanceof DenseFeatures
            && !batches.sampling().kind().induced()
            && model.spec().kind().aggregatesFeatures()
            && model.spec().inputDropout() == 0;
    if (possible && batches.aggregatedInputs()) {
      return WHOLE;
    }
    return possible && !shuffled ? SAMPLED : NONE;
  }
}
