package dev.heddle.train.batch;

import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.Coefficients;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.HalfMatrix;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowChain;
import dev.heddle.kernel.RowCopy;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.RowSumGather;
import dev.heddle.kernel.RowWork;
import dev.heddle.kernel.SumGather;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Value;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * Dense features of a batch's rows, with the {@link InputSum} of each: own rows and sums are
 * gathered in one pass, block by block, so that the neighbours of vertices that lie close to each
 * other are still in the cache.
 */
final class DenseInput implements BatchInput {
  private final InputSum sum;
  private final int cols;
  private final boolean half;
  private final ThreadTeam team;
  private final GrowingMatrix own;
  private final GrowingMatrix aggregated;
  private final Matrix partials;
  private final MemorySegment hubRows;

  /**
   * An input of so many columns.
   *
   * @param half whether features are {@linkplain HalfMatrix#words words} of bfloat16
   */
  DenseInput(InputSum sum, int cols, boolean half, ThreadTeam team, Memory memory) {
    this.sum = sum;
    this.cols = cols;
    this.half = half;
    this.team = team;
    own = new GrowingMatrix(memory, cols);
    aggregated = new GrowingMatrix(memory, cols);
    boolean sums = sum == InputSum.SAMPLED;
    partials = Matrix.allocate(memory, sums ? ArcTasks.MAX_SEGMENTS : 0, cols);
    hubRows = memory.allocate(sums ? RowSumGather.scratchBytes(cols) : 0);
  }

  @Override
  public void fit(SampledBatch batch) {
    int count = batch.rows(batch.hops());
    own.require(count);
    if (sum != InputSum.NONE) {
      aggregated.require(count);
    }
  }

  @Override
  public Gathering gathering(Macrobatch macrobatch, int number) {
    SampledBatch batch = macrobatch.batch(number);
    RowIds ids = macrobatch.index(number);
    Matrix features = macrobatch.features(0);
    RowChain chain =
        new RowChain(
            switch (sum) {
              case NONE -> List.of(RowCopy.of(features, ids, own.matrix()));
              case WHOLE ->
                  List.of(
                      RowCopy.of(features, ids, own.matrix()),
                      RowCopy.of(macrobatch.features(1), ids, aggregated.matrix()));
              case SAMPLED -> withSums(features, ids, batch);
            });
    return () -> chain.run(team, batch.rows(batch.hops()));
  }

  private List<RowWork> withSums(Matrix features, RowIds ids, SampledBatch batch) {
    Csr arcs = batch.hop(batch.hops() - 1).in();
    Coefficients weights = Coefficients.perArc(Objects.requireNonNull(arcs.weights()));
    SumGather sums = SumGather.over(arcs, weights, null, partials);
    if (half) {
      HalfMatrix halves = HalfMatrix.ofWords(features, cols);
      return List.of(
          RowCopy.of(halves, ids, own.matrix()),
          RowSumGather.of(sums, halves, aggregated.matrix(), hubRows));
    }
    return List.of(
        RowCopy.of(features, ids, own.matrix()),
        RowSumGather.of(sums, features, aggregated.matrix(), hubRows));
  }

  @Override
  public Value record(Recorder r, List<Rows> rows, List<Hop> hops) {
    return sum == InputSum.NONE
        ? r.input(rows.getLast(), own.matrix())
        : r.input(hops.getFirst(), own.matrix(), aggregated.matrix());
  }
}
