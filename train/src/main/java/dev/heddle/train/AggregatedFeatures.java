package dev.heddle.train;

import dev.heddle.graph.Block;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;

/**
 * The aggregation of all neighbours' features, once for every vertex. Batches that read it have the
 * expectation of what they would have sampled in the last hop, and do not sample it.
 */
final class AggregatedFeatures {
  private AggregatedFeatures() {}

  /** Threads, memory for what is made, and whether a vertex is among its own neighbours. */
  record Place(ThreadTeam team, Memory memory, boolean selfLoops) {}

  static Matrix of(Graph graph, Matrix features, Normalisation normalisation, Place place) {
    Matrix aggregated = Matrix.allocate(place.memory(), features.rows(), features.cols());
    try (Memory scratch = place.memory().child()) {
      Block block = graph.block(scratch, place.selfLoops());
      Matrix partials = Matrix.allocate(scratch, ArcTasks.MAX_SEGMENTS, features.cols());
      block.forward(normalisation).gather(partials).run(place.team(), features, aggregated, false);
    }
    return aggregated;
  }
}
