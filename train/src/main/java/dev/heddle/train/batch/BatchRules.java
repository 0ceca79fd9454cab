package dev.heddle.train.batch;

import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.NormKind;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.FetchSettings;
import dev.heddle.train.settings.TrainSettings;

/**
 * Which settings of batches go with a model and its features. What would have no effect is refused,
 * before anything is taken.
 */
public final class BatchRules {
  private BatchRules() {}

  /**
   * Refuses settings that do not fit.
   *
   * @param workers that train together
   */
  public static void check(
      BatchSettings batches, Model model, Features features, TrainSettings settings, int workers) {
    ModelKind kind = model.spec().kind();
    SampleSettings sampling = batches.sampling();
    InputSum sum = InputSum.of(batches, model, features, workers);
    if (!sampling.kind().induced() && sampling.hops() != model.hops()) {
      throw new IllegalArgumentException(
          "this %s takes %d hops and a fan-out for each, not %d"
              .formatted(kind, model.hops(), sampling.hops()));
    }
    if (batches.aggregatedInputs() && sum == InputSum.NONE) {
      throw new IllegalArgumentException(
          "inputs can be aggregated once where the first layer sums the dense features of sampled"
              + " neighbours, with nothing learnt or dropped before, as in gcn, sage, gin and sgc;"
              + " not in "
              + kind
              + " as it is here");
    }
    if (settings.halfWidth() && workers > 1 && batches.split() != null) {
      throw new IllegalArgumentException(
          "half width is for features that each worker gathers for itself, and with split batch"
              + " owners send rows: use --split seeds, or a codec");
    }
    if (settings.halfWidth() && sum != InputSum.SAMPLED && !sampling.kind().induced()) {
      throw new IllegalArgumentException(
          "half width in batches is for dense features that the first layer sums, with nothing"
              + " learnt, dropped or aggregated before, as in gcn, sage, gin and sgc; not for "
              + kind
              + " as it is here");
    }
    boolean together = workers > 1 && batches.split() != null;
    checkCache(settings.fetch(), features, workers, together);
    if (workers > 1) {
      checkSeveral(batches, model, features, settings);
    }
  }

  private static void checkSeveral(
      BatchSettings batches, Model model, Features features, TrainSettings settings) {
    if (batches.sampling().kind().induced()) {
      throw new IllegalArgumentException(
          "the "
              + batches.sampling().kind()
              + " sampler needs all arcs at one worker: use neighbour or labor");
    }
    if (model.spec().norm() == NormKind.BATCH) {
      throw new IllegalArgumentException(
          "norm batch needs all rows of a batch at one worker: use norm layer, or one worker");
    }
    if (batches.split() == null) {
      settings.halo().checkFetches(features);
    } else {
      settings.halo().checkShuffles();
    }
    if (settings.halfWidth() && settings.halo().codec().rounds()) {
      throw new IllegalArgumentException(
          "features are fetched as bfloat16 with half width, or at the bits of codec "
              + settings.halo().codec()
              + ", not both");
    }
  }

  private static void checkCache(FetchSettings fetch, Features features, int workers, boolean together) {
    if (fetch.cache().bytes() == 0) {
      return;
    }
    if (!(features instanceof DenseFeatures)) {
      throw new IllegalArgumentException(
          "a cache keeps rows of dense features, and these are sparse");
    }
    if (together && !fetch.inPlace()) {
      throw new IllegalArgumentException(
          "a cache keeps rows of mapped features, and with split batch each worker has those that"
              + " it loads in memory");
    }
    if (workers == 1 && !fetch.inPlace()) {
      throw new IllegalArgumentException(
          "a cache keeps rows of other workers or of mapped features, and one worker has all of"
              + " them in memory");
    }
  }
}
