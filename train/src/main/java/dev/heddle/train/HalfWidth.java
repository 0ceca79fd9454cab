package dev.heddle.train;

import dev.heddle.graph.Graph;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;

/**
 * Where rows rounded to bfloat16 have a meaning: rows that are summed over all arcs of the graph,
 * and features that the samples of one worker sum. Asking for it elsewhere would round nothing, so
 * it is refused.
 */
final class HalfWidth {
  private HalfWidth() {}

  static void check(Graph graph, Model model, TrainSettings settings, boolean alone) {
    if (!settings.halfWidth()) {
      return;
    }
    ModelKind kind = model.spec().kind();
    if (kind.aggregation() == null) {
      throw new IllegalArgumentException("half width is for models that sum rows; not for " + kind);
    }
    BatchSettings batches = settings.batches();
    if (batches == null) {
      return;
    }
    if (!alone) {
      throw new IllegalArgumentException(
          "several workers fetch the features of batches as they are, or at the bits of --codec:"
              + " half width is for one worker, or for training on the whole graph");
    }
    boolean summed =
        MiniBatchTrainer.firstGiven(graph, model, batches) && !batches.aggregatedInputs();
    if (!summed && !batches.sampling().kind().induced()) {
      throw new IllegalArgumentException(
          "half width in batches is for dense features that the first layer sums, with nothing"
              + " learnt, dropped or aggregated before, as in gcn, sage, gin and sgc; not for "
              + kind
              + " as it is here");
    }
  }
}
