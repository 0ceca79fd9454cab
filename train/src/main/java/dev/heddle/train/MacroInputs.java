package dev.heddle.train;

import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.kernel.Matrix;
import dev.heddle.train.batch.Macrobatch;

/** What all batches of macrobatches read, and the memory that they use for it in turn. */
sealed interface MacroInputs extends AutoCloseable
    permits MacroInput.Shared, MacroSparseInput.Shared {
  /**
   * Inputs like some features.
   *
   * @param form in which dense ones come
   */
  static MacroInputs of(Features features, MacroInput.Form form, NeighbourSampler.Place place) {
    return switch (features) {
      case DenseFeatures(Matrix matrix) -> new MacroInput.Shared(form, matrix.cols(), place);
      case SparseFeatures sparse -> MacroSparseInput.Shared.of(sparse, place);
    };
  }

  /** The input of one of the batches of a macrobatch. */
  BatchInput ofBatch(Macrobatch macrobatch, int number);

  /** Whether rows come with the model's first aggregation. */
  boolean givesFirst();

  @Override
  void close();
}
