package dev.heddle.train;

import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.Coefficients;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.HalfMatrix;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.RowChain;
import dev.heddle.kernel.RowCopy;
import dev.heddle.kernel.RowGather;
import dev.heddle.kernel.RowSumGather;
import dev.heddle.kernel.SumGather;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Value;
import dev.heddle.train.batch.GrowingMatrix;
import java.lang.foreign.MemorySegment;
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
  private final ThreadTeam team;
  private final Matrix features;
  private final @Nullable HalfMatrix half;
  private final @Nullable Matrix aggregatedOnce;
  private final GrowingMatrix own;
  private final GrowingMatrix aggregated;
  private final Matrix partials;
  private final MemorySegment hubRows;
  private final RowGather rows = new RowGather();
  private @Nullable RowChain chain;
  private int batchVersion = -1;
  private int ownVersion = -1;

  /**
   * Where features are read.
   *
   * @param half the features rounded to bfloat16, which are read in their place; or null
   * @param aggregatedOnce the aggregation of all neighbours of each vertex; null to aggregate what
   *     the last hop of a batch has sampled
   */
  record Source(Matrix features, @Nullable HalfMatrix half, @Nullable Matrix aggregatedOnce) {}

  AggregatedInput(Source source, NeighbourSampler.Place place) {
    team = place.team();
    features = source.features();
    half = source.half();
    aggregatedOnce = source.aggregatedOnce();
    own = new GrowingMatrix(place.memory(), features.cols());
    aggregated = new GrowingMatrix(place.memory(), features.cols());
    partials = Matrix.allocate(place.memory(), ArcTasks.MAX_SEGMENTS, features.cols());
    hubRows = place.memory().allocate(RowSumGather.scratchBytes(features.cols()));
  }

  @Override
  public void fetch(SampledBatch batch) {
    int count = batch.rows(batch.hops());
    Matrix rowsOfOwn = own.require(count);
    Matrix target = aggregated.require(count);
    if (aggregatedOnce != null) {
      rows.run(team, features, batch.ids(), count, rowsOfOwn);
      rows.run(team, aggregatedOnce, batch.ids(), count, target);
      return;
    }
    RowChain both = chain;
    if (both == null || batchVersion != batch.version() || ownVersion != version()) {
      batchVersion = batch.version();
      ownVersion = version();
      both = chain(batch, rowsOfOwn, target);
      chain = both;
    }
    both.run(team, count);
  }

  /** Own rows and neighbours', block by block: vertices close to each other share neighbours. */
  private RowChain chain(SampledBatch batch, Matrix rowsOfOwn, Matrix target) {
    Csr arcs = batch.hop(batch.hops() - 1).in();
    Coefficients weights = Coefficients.perArc(Objects.requireNonNull(arcs.weights()));
    SumGather gather = SumGather.over(arcs, weights, null, partials);
    return new RowChain(
        half == null
            ? List.of(
                RowCopy.of(features, batch.ids(), rowsOfOwn),
                RowSumGather.of(gather, features, target, hubRows))
            : List.of(
                RowCopy.of(half, batch.ids(), rowsOfOwn),
                RowSumGather.of(gather, half, target, hubRows)));
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
