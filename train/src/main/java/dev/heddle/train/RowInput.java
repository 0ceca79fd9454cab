package dev.heddle.train;

import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.RowGather;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Value;
import dev.heddle.train.batch.GrowingMatrix;
import java.util.List;

/** The dense features of all rows of a batch, copied next to each other. */
final class RowInput implements BatchInput {
  private final ThreadTeam team;
  private final Matrix features;
  private final GrowingMatrix copied;
  private final RowGather gather = new RowGather();

  RowInput(Matrix features, NeighbourSampler.Place place) {
    team = place.team();
    this.features = features;
    copied = new GrowingMatrix(place.memory(), features.cols());
  }

  @Override
  public void fetch(SampledBatch batch) {
    int count = batch.rows(batch.hops());
    gather.run(team, features, batch.ids(), count, copied.require(count));
  }

  @Override
  public Value record(Recorder r, List<Rows> rows, List<Hop> hops) {
    return r.input(rows.getLast(), copied.matrix());
  }

  @Override
  public int version() {
    return copied.version();
  }

  @Override
  public void close() {
    copied.close();
  }
}
