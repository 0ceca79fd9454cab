package dev.heddle.train;

import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.graph.sample.SparseRows;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Value;
import java.util.List;

/**
 * The sparse features of all rows of a batch and, by themselves, of those that are destinations of
 * the first hop: a map of these alone must not read the others.
 */
final class SparseInput implements BatchInput {
  private final SparseRows all;
  private final SparseRows destinations;

  SparseInput(SparseFeatures features, NeighbourSampler.Place place) {
    all = new SparseRows(features, place);
    destinations = new SparseRows(features, place);
  }

  @Override
  public void fetch(SampledBatch batch) {
    int hops = batch.hops();
    all.fetch(batch.ids(), batch.rows(hops));
    destinations.fetch(batch.ids(), batch.rows(Math.max(0, hops - 1)));
  }

  @Override
  public Value record(Recorder r, List<Rows> rows, List<Hop> hops) {
    Rows first = rows.get(Math.max(0, rows.size() - 2));
    return r.input(rows.getLast(), all.features(), first, destinations.features());
  }

  @Override
  public int version() {
    return all.version() + destinations.version();
  }

  @Override
  public void close() {
    all.close();
    destinations.close();
  }
}
