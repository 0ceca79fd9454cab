package dev.heddle.train;

import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.Coefficients;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.RowGather;
import dev.heddle.kernel.SumGather;
import dev.heddle.kernel.Workers;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Value;
import dev.heddle.train.batch.GrowingMatrix;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Rows that a model sees only through its first aggregation, which learns nothing: each comes as
 * its own features and the aggregation of its neighbours'. These are gathered from where they lie,
 * by vertex, so that the many vertices of the last hop need neither rows nor copies; or the
 * aggregation of all neighbours was made once for all vertices, and the last hop is not sampled at
 * all.
 */
final class AggregatedInput implements BatchInput {
  private final Workers workers;
  private final Matrix features;
  private final @Nullable Matrix aggregatedOnce;
  private final GrowingMatrix own;
  private final GrowingMatrix aggregated;
  private final Matrix partials;
  private final RowGather rows = new RowGather();
  private @Nullable SumGather gather;
  private int batchVersion = -1;

  /**
   * Input of batches.
   *
   * @param aggregatedOnce the aggregation of all neighbours of each vertex; null to aggregate what
   *     the last hop of a batch has sampled
   */
  AggregatedInput(Matrix features, @Nullable Matrix aggregatedOnce, NeighbourSampler.Place place) {
    workers = place.workers();
    this.features = features;
    this.aggregatedOnce = aggregatedOnce;
    own = new GrowingMatrix(place.memory(), features.cols());
    aggregated = new GrowingMatrix(place.memory(), features.cols());
    partials = Matrix.allocate(place.memory(), ArcTasks.MAX_SEGMENTS, features.cols());
  }

  @Override
  public void fetch(SampledBatch batch) {
    int count = batch.rows(batch.hops());
    rows.run(workers, features, batch.ids(), count, own.require(count));
    Matrix target = aggregated.require(count);
    if (aggregatedOnce != null) {
      rows.run(workers, aggregatedOnce, batch.ids(), count, target);
      return;
    }
    if (batchVersion != batch.version()) {
      batchVersion = batch.version();
      Csr arcs = batch.hop(batch.hops() - 1).in();
      Coefficients weights = Coefficients.perArc(Objects.requireNonNull(arcs.weights()));
      gather = SumGather.over(arcs, weights, null, partials);
    }
    Objects.requireNonNull(gather).run(workers, features, target, false);
  }

  @Override
  public Value record(Recorder r, List<Rows> atDepth, List<Hop> hops) {
    return r.input(hops.getFirst(), own.matrix(), aggregated.matrix());
  }

  @Override
  public int version() {
    return own.version() + aggregated.version();
  }

  @Override
  public void close() {
    own.close();
    aggregated.close();
  }
}
