package dev.heddle.train;

import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.graph.sample.SparseRows;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Value;
import dev.heddle.train.batch.Macrobatch;
import java.util.List;

/** {@link SparseInput} of a batch whose features lie among the rows of its macrobatch. */
final class MacroSparseInput implements BatchInput {
  private final Macrobatch macrobatch;
  private final int number;
  private final Shared shared;

  private MacroSparseInput(Macrobatch macrobatch, int number, Shared shared) {
    this.macrobatch = macrobatch;
    this.number = number;
    this.shared = shared;
  }

  /**
   * The memory that batches use in turn: of all their rows, and of the first hop's destinations.
   */
  record Shared(SparseRows all, SparseRows destinations) implements MacroInputs {
    static Shared of(SparseFeatures like, NeighbourSampler.Place place) {
      return new Shared(new SparseRows(like, place), new SparseRows(like, place));
    }

    @Override
    public BatchInput ofBatch(Macrobatch macrobatch, int number) {
      return new MacroSparseInput(macrobatch, number, this);
    }

    @Override
    public boolean givesFirst() {
      return false;
    }

    @Override
    public void close() {
      all.close();
      destinations.close();
    }
  }

  @Override
  public void fetch(SampledBatch batch) {
    int hops = batch.hops();
    var features = macrobatch.sparseFeatures();
    var index = macrobatch.index(number);
    shared.all.fetch(features, index, batch.rows(hops));
    shared.destinations.fetch(features, index, batch.rows(Math.max(0, hops - 1)));
  }

  @Override
  public Value record(Recorder r, List<Rows> rows, List<Hop> hops) {
    Rows first = rows.get(Math.max(0, rows.size() - 2));
    return r.input(rows.getLast(), shared.all.features(), first, shared.destinations.features());
  }

  @Override
  public int version() {
    return shared.all.version() + shared.destinations.version();
  }

  /** What all batches share is closed by whoever made it. */
  @Override
  public void close() {}
}
