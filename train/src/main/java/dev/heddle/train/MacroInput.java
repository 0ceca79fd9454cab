package dev.heddle.train;

import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.Coefficients;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.RowGather;
import dev.heddle.kernel.SumGather;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Value;
import dev.heddle.train.batch.GrowingMatrix;
import dev.heddle.train.batch.Macrobatch;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a model reads of a batch whose features lie among the rows of its macrobatch. It is gathered
 * when the batch's turn comes, into memory that all batches share.
 */
final class MacroInput implements BatchInput {
  private final Macrobatch macrobatch;
  private final int number;
  private final Shared shared;
  private @Nullable SumGather gather;
  private int batchVersion = -1;

  private MacroInput(Macrobatch macrobatch, int number, Shared shared) {
    this.macrobatch = macrobatch;
    this.number = number;
    this.shared = shared;
  }

  /** How a batch's rows come: alone, or with the model's first aggregation. */
  enum Form {
    /** Nothing but rows. */
    ROWS,
    /** With the sum over what the last hop has sampled. */
    SAMPLED_SUM,
    /** With the sum over all neighbours, which is a matrix of its own. */
    GIVEN_SUM;

    /** The form for a model whose first aggregation is given or not, made once or for a batch. */
    static Form of(boolean given, boolean once) {
      return !given ? ROWS : once ? GIVEN_SUM : SAMPLED_SUM;
    }
  }

  /** The memory that batches use in turn. */
  static final class Shared implements MacroInputs {
    private final Form form;
    private final ThreadTeam team;
    private final GrowingMatrix own;
    private final GrowingMatrix aggregated;
    private final Matrix partials;
    private final RowGather rows = new RowGather();

    Shared(Form form, int cols, NeighbourSampler.Place place) {
      this.form = form;
      team = place.team();
      own = new GrowingMatrix(place.memory(), cols);
      aggregated = new GrowingMatrix(place.memory(), cols);
      int hubs = form == Form.SAMPLED_SUM ? ArcTasks.MAX_SEGMENTS : 0;
      partials = Matrix.allocate(place.memory(), hubs, cols);
    }

    @Override
    public BatchInput ofBatch(Macrobatch macrobatch, int number) {
      return new MacroInput(macrobatch, number, this);
    }

    @Override
    public boolean givesFirst() {
      return form != Form.ROWS;
    }

    @Override
    public void close() {
      own.close();
      aggregated.close();
    }
  }

  @Override
  public void fetch(SampledBatch batch) {
    int count = batch.rows(batch.hops());
    take(0, count, shared.own);
    switch (shared.form) {
      case ROWS -> {}
      case GIVEN_SUM -> take(1, count, shared.aggregated);
      case SAMPLED_SUM -> {
        if (batchVersion != batch.version()) {
          batchVersion = batch.version();
          Csr arcs = batch.hop(batch.hops() - 1).in();
          Coefficients weights = Coefficients.perArc(Objects.requireNonNull(arcs.weights()));
          gather = SumGather.over(arcs, weights, null, shared.partials);
        }
        Matrix target = shared.aggregated.require(count);
        Objects.requireNonNull(gather).run(shared.team, macrobatch.features(0), target, false);
      }
    }
  }

  private void take(int matrix, int count, GrowingMatrix into) {
    shared.rows.run(
        shared.team,
        macrobatch.features(matrix),
        macrobatch.index(number),
        count,
        into.require(count));
  }

  @Override
  public Value record(Recorder r, List<Rows> rows, List<Hop> hops) {
    return shared.form == Form.ROWS
        ? r.input(rows.getLast(), shared.own.matrix())
        : r.input(hops.getFirst(), shared.own.matrix(), shared.aggregated.matrix());
  }

  @Override
  public int version() {
    return shared.own.version() + shared.aggregated.version();
  }

  /** What all batches share is closed by whoever made it. */
  @Override
  public void close() {}
}
