package dev.heddle.train.settings;

import dev.heddle.graph.sample.NeighbourSampler;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How batches come to a worker: how many at once, how early, and what of them is kept. None of it
 * changes what is trained, but aggregated inputs and a cache that input layers are sampled from.
 *
 * @param macrobatch batches that are sampled and fetched at once; 0 for as many as the memory
 *     allows
 * @param memory bytes for batches that are loaded, on each worker; 0 for half a gigabyte, or what a
 *     macrobatch of a given size takes
 * @param ahead whether the next macrobatch is sampled and fetched while this one is trained on
 * @param cache rows that are kept
 * @param topology who has which arcs
 * @param aggregatedInputs whether the first aggregation is computed once, over all neighbours, and
 *     the last hop is never sampled
 * @param inPlace whether workers read what is theirs where the graph has it, in a mapped store,
 *     instead of a copy: then graphs may exceed the memory of all workers together
 */
public record Fetch(
    int macrobatch,
    long memory,
    boolean ahead,
    Cache cache,
    Topology topology,
    boolean aggregatedInputs,
    boolean inPlace) {
  private static final long USUAL_MEMORY = 512L << 20;

  /** As many batches as half a gigabyte allows, no cache, everyone the arcs of its vertices. */
  public static final Fetch DEFAULT =
      new Fetch(0, 0, false, Cache.NONE, Topology.PARTITIONED, false, false);

  public Fetch {
    if (macrobatch < 0 || macrobatch > NeighbourSampler.MOST_BATCHES) {
      throw new IllegalArgumentException(
          "from 1 to "
              + NeighbourSampler.MOST_BATCHES
              + " batches are loaded at once, or 0 for as many as memory allows, not "
              + macrobatch);
    }
    if (memory < 0) {
      throw new IllegalArgumentException("memory for batches is not negative, but " + memory);
    }
  }

  /**
   * Rows of features that a worker keeps, though they are others' or lie in files.
   *
   * @param bytes for features, on each worker; 0 for a hundredth of all vertices in {@link
   *     Rows#GNS}, for nothing in {@link Rows#HOT}
   */
  public record Cache(Rows rows, long bytes, Rank by) {
    /** Nothing is kept. */
    public static final Cache NONE = new Cache(Rows.NONE, 0, Rank.PRESAMPLED);

    public Cache {
      if (bytes < 0) {
        throw new IllegalArgumentException("a cache has no fewer than 0 bytes, not " + bytes);
      }
    }

    /** What batches need most often, if there is room for anything. */
    public Cache(long bytes, Rank by) {
      this(bytes > 0 ? Rows.HOT : Rows.NONE, bytes, by);
    }

    /** About so many bytes for an epoch, which input layers are sampled from. */
    public static Cache gns(long bytes, Rank by) {
      return new Cache(Rows.GNS, bytes, by);
    }

    /** Whether rows are kept. */
    public boolean keeps() {
      return rows == Rows.GNS || bytes > 0;
    }
  }

  /** Which rows are kept. */
  public enum Rows {
    /** None. */
    NONE,
    /** Those that batches need most often, for the whole run. */
    HOT,
    /**
     * Drawn for each epoch; input layers are sampled from them, other layers rather from them than
     * from others (global neighbour sampling, Dong et al., KDD 2021).
     */
    GNS;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** By what rows are chosen. */
  public enum Rank {
    /** An epoch is sampled beforehand, and vertices are counted. */
    PRESAMPLED,
    /** By the probability that a batch reaches a vertex. */
    VIP,
    /** By how many arcs come from a vertex. */
    DEGREE;

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

  public Fetch withMacrobatch(int batches) {
    return new Fetch(batches, memory, ahead, cache, topology, aggregatedInputs, inPlace);
  }

  public Fetch withMemory(long bytes) {
    return new Fetch(macrobatch, bytes, ahead, cache, topology, aggregatedInputs, inPlace);
  }

  public Fetch withAhead(boolean value) {
    return new Fetch(macrobatch, memory, value, cache, topology, aggregatedInputs, inPlace);
  }

  /** Batches take at most a quarter of a worker's memory: the rest is for what learns from them. */
  public Fetch within(long workerMemory) {
    return withMemory(Math.min(memoryLimit(), Math.max(1, workerMemory / 4)));
  }

  public Fetch withCache(Cache kept) {
    return new Fetch(macrobatch, memory, ahead, kept, topology, aggregatedInputs, inPlace);
  }

  public Fetch withTopology(Topology placed) {
    return new Fetch(macrobatch, memory, ahead, cache, placed, aggregatedInputs, inPlace);
  }

  public Fetch withAggregatedInputs(boolean value) {
    return new Fetch(macrobatch, memory, ahead, cache, topology, value, inPlace);
  }

  /** What is kept, by the names that users write, with commas between. */
  String caches() {
    List<String> names = new ArrayList<>();
    if (cache.keeps()) {
      names.add(cache.rows().toString());
    }
    if (aggregatedInputs) {
      names.add("aggregated");
    }
    return names.isEmpty() ? "none" : String.join(",", names);
  }

  /** Reads what is a worker's own where the graph has it. */
  public Fetch withInPlace(boolean value) {
    return new Fetch(macrobatch, memory, ahead, cache, topology, aggregatedInputs, value);
  }

  /** Bytes that batches may take, on each worker: who says how many is taken at his word. */
  public long memoryLimit() {
    return memory > 0 ? memory : macrobatch > 0 ? Long.MAX_VALUE : USUAL_MEMORY;
  }

  /** Whether several batches are loaded at once, or as many as memory allows. */
  public boolean together() {
    return macrobatch != 1;
  }
}
