package dev.heddle.graph.sample;

import dev.heddle.kernel.Memory;
import java.util.List;

/** Makes samples of a graph, several batches at a time. */
public interface Sampler {
  /** Memory for one sample of this sampler, freed with the memory given. */
  SampledBatch newBatch(Memory memory);

  /**
   * Samples consecutive batches of the epoch that {@code seeds} is in.
   *
   * @param first number of the first batch
   * @param into a sample for each batch, in the place of what it held
   */
  void sample(SeedOrder seeds, int first, List<SampledBatch> into);

  /**
   * Those of the {@link #bytes} that are tables of all vertices, however many batches there are.
   */
  long tableBytes();

  /** Bytes of memory that is kept for any batches, samples aside. */
  long bytes();
}
