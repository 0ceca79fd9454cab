package dev.heddle.train.batch;

import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Value;
import java.util.List;

/**
 * What a model reads of the vertices of a batch: gathered when the batch's turn comes, into memory
 * that all batches of a run use in turn.
 */
sealed interface BatchInput permits DenseInput, SparseInput {
  /** Makes room for what a batch reads. */
  void fit(SampledBatch batch);

  /**
   * How the input of one of a macrobatch's batches is gathered, from and to where things lie now.
   */
  Gathering gathering(Macrobatch macrobatch, int number);

  /** Fills the input with a batch's rows. */
  interface Gathering {
    void run();
  }

  /**
   * Records where the input lies.
   *
   * @param rows at each depth from the seeds on
   * @param hops in the order they are taken
   */
  Value record(Recorder r, List<Rows> rows, List<Hop> hops);
}
