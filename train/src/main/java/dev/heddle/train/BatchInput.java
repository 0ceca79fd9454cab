package dev.heddle.train;

import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Value;
import java.util.List;

/** What a model reads of the vertices of a batch. */
sealed interface BatchInput extends AutoCloseable
    permits AggregatedInput, RowInput, SparseInput, MacroInput, MacroSparseInput {
  /** Gets it, in the place of what was there for the batch before. */
  void fetch(SampledBatch batch);

  /**
   * Records where it lies.
   *
   * @param rows at each depth from the seeds on
   * @param hops in the order they are taken
   */
  Value record(Recorder r, List<Rows> rows, List<Hop> hops);

  /** Changes whenever it lies elsewhere than before. */
  int version();

  @Override
  void close();
}
