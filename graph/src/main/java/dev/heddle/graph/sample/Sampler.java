package dev.heddle.graph.sample;

import dev.heddle.kernel.Memory;

/** Makes samples of a graph, one at a time. */
public interface Sampler extends AutoCloseable {
  /** Memory for samples of this sampler. */
  SampledBatch newBatch(Memory memory);

  /** Samples around the seeds of a batch, in the place of what {@code into} held. */
  void sample(SeedOrder seeds, int batch, SampledBatch into);

  @Override
  void close();
}
