package dev.heddle.train;

import dev.heddle.graph.sample.MacroSampler;

/**
 * How workers that train in batches get what others have.
 *
 * @param macrobatch batches that are sampled and fetched at once; 0 for as many as the memory
 *     allows. What is trained is the same for any number.
 * @param memory bytes for batches that are loaded, on each worker
 */
public record FetchSettings(int macrobatch, long memory) {
  private static final long USUAL_MEMORY = 512L << 20;

  /** As many as half a gigabyte allows. */
  public static final FetchSettings DEFAULT = new FetchSettings(0, USUAL_MEMORY);

  public FetchSettings {
    if (macrobatch < 0 || macrobatch > MacroSampler.MOST_BATCHES) {
      throw new IllegalArgumentException(
          "from 1 to "
              + MacroSampler.MOST_BATCHES
              + " batches are loaded at once, or 0 for as many as memory allows, not "
              + macrobatch);
    }
    if (memory < 1) {
      throw new IllegalArgumentException("memory for batches must be positive, not " + memory);
    }
  }

  public FetchSettings withMacrobatch(int batches) {
    return new FetchSettings(batches, memory);
  }

  public FetchSettings withMemory(long bytes) {
    return new FetchSettings(macrobatch, bytes);
  }
}
