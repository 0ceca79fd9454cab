package dev.heddle.train.settings;

import dev.heddle.graph.sample.NeighbourSampler;
import java.util.Locale;

/**
 * How workers that train in batches get what others have. None of it changes what is trained.
 *
 * @param macrobatch batches that are sampled and fetched at once; 0 for as many as the memory
 *     allows
 * @param memory bytes for batches that are loaded, on each worker
 * @param cache rows of others that are kept
 * @param topology who has which arcs
 * @param inPlace whether workers read what is theirs where the graph has it, in a mapped store,
 *     instead of a copy: then graphs may exceed the memory of all workers together
 */
public record FetchSettings(
    int macrobatch, long memory, Cache cache, Topology topology, boolean inPlace) {
  private static final long USUAL_MEMORY = 512L << 20;

  /** As many batches as half a gigabyte allows, no cache, everyone the arcs of its vertices. */
  public static final FetchSettings DEFAULT =
      new FetchSettings(0, USUAL_MEMORY, Cache.NONE, Topology.PARTITIONED, false);

  public FetchSettings {
    if (macrobatch < 0 || macrobatch > NeighbourSampler.MOST_BATCHES) {
      throw new IllegalArgumentException(
          "from 1 to "
              + NeighbourSampler.MOST_BATCHES
              + " batches are loaded at once, or 0 for as many as memory allows, not "
              + macrobatch);
    }
    if (memory < 1) {
      throw new IllegalArgumentException("memory for batches must be positive, not " + memory);
    }
  }

  /**
   * Rows of other workers' vertices that a worker keeps: those that its batches need most often.
   *
   * @param bytes for features, on each worker
   */
  public record Cache(long bytes, Rank by) {
    /** Nothing is kept. */
    public static final Cache NONE = new Cache(0, Rank.PRESAMPLED);

    public Cache {
      if (bytes < 0) {
        throw new IllegalArgumentException("a cache has no fewer than 0 bytes, not " + bytes);
      }
    }
  }

  /** How it is found out what batches need most often. */
  public enum Rank {
    /** An epoch is sampled beforehand, and vertices are counted. */
    PRESAMPLED,
    /** By the probability that a batch reaches a vertex. */
    VIP;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Who has which arcs. */
  public enum Topology {
    /** Everyone those of its own vertices; samples are asked of their owners. */
    PARTITIONED,
    /** Everyone all of them; only features are fetched. */
    REPLICATED,
    /** Replicated if the arcs take no more than a quarter of each worker's memory. */
    AUTO;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public FetchSettings withMacrobatch(int batches) {
    return new FetchSettings(batches, memory, cache, topology, inPlace);
  }

  public FetchSettings withMemory(long bytes) {
    return new FetchSettings(macrobatch, bytes, cache, topology, inPlace);
  }

  /** Batches take at most a quarter of a worker's memory: the rest is for what learns from them. */
  public FetchSettings within(long workerMemory) {
    return withMemory(Math.min(memory, Math.max(1, workerMemory / 4)));
  }

  public FetchSettings withCache(Cache kept) {
    return new FetchSettings(macrobatch, memory, kept, topology, inPlace);
  }

  public FetchSettings withTopology(Topology placed) {
    return new FetchSettings(macrobatch, memory, cache, placed, inPlace);
  }

  /** Reads what is a worker's own where the graph has it. */
  public FetchSettings withInPlace(boolean value) {
    return new FetchSettings(macrobatch, memory, cache, topology, value);
  }
}
