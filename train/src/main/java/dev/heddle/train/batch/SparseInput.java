package dev.heddle.train.batch;

import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.graph.sample.SparseRows;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Value;
import java.util.List;

/**
 * Sparse features of all rows of a batch and, by themselves, of those that are destinations of the
 * first hop: a map of these alone must not read the others.
 */
final class SparseInput implements BatchInput {
  private final SparseRows all;
  private final SparseRows destinations;

  SparseInput(SparseFeatures like, ThreadTeam team, Memory memory) {
    all = new SparseRows(like, team, memory);
    destinations = new SparseRows(like, team, memory);
  }

  /** Room is made while rows are gathered: how many values they have is not known before. */
  @Override
  public void fit(SampledBatch batch) {}

  @Override
  public Gathering gathering(Macrobatch macrobatch, int number) {
    SampledBatch batch = macrobatch.batch(number);
    RowIds ids = macrobatch.index(number);
    return () -> {
      int hops = batch.hops();
      all.fetch(macrobatch.sparseFeatures(), ids, batch.rows(hops));
      destinations.fetch(macrobatch.sparseFeatures(), ids, batch.rows(Math.max(0, hops - 1)));
    };
  }

  @Override
  public Value record(Recorder r, List<Rows> rows, List<Hop> hops) {
    Rows first = rows.get(Math.max(0, rows.size() - 2));
    return r.input(rows.getLast(), all.features(), first, destinations.features());
  }
}
