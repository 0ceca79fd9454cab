package dev.heddle.train.batch;

import dev.heddle.comm.Group;
import dev.heddle.graph.sample.FeaturePlaces;
import dev.heddle.graph.sample.NeededRows;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.graph.sample.Sampler;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Stage;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Samples several batches at once and fetches the features that they need, together with all other
 * workers, who do the same for theirs. A worker that is alone has all features at hand and only
 * samples, unless they lie in files from which the rows of several batches are read together.
 * Sampling does not depend on parameters and features do not change, so that it makes no difference
 * to what is trained how many are loaded at once.
 */
public final class MacroLoader implements AutoCloseable {
  private final Group group;
  private final Sampler sampler;
  private final @Nullable SampleRelay relay;
  private final Source source;
  private final @Nullable NeededRows rows;
  private final @Nullable FeatureFetch fetch;
  private final Memory memory;
  private final Lane sampling;
  private final Lane fetchingLane;
  private long arcs;
  private long loadedRows;
  private long fetchedRows;
  private long wantedRows;
  private long cachedRows;
  private long readRows;
  private @Nullable EpochCache byEpoch;

  /**
   * Where features come from.
   *
   * @param places where each vertex's are found; null where all are at hand, to be read by vertex
   * @param sumsLastHop whether vertices that the last hop names are needed too, though they have no
   *     rows: {@link InputSum#SAMPLED}
   */
  public record Source(@Nullable FeaturePlaces places, OwnFeatures features, boolean sumsLastHop) {}

  /**
   * A loader; all workers make theirs alike, and load the same batches.
   *
   * @param group whose workers fetch features of each other, and that is for nothing else where
   *     another thread samples; one of its own for a worker that fetches its own alone
   * @param relay by which the sampler asks others; null for one that asks nobody
   * @param mostBytes of a message
   * @param sampling lane of the thread that samples
   * @param fetching of the thread that fetches, perhaps the same one
   */
  MacroLoader(
      Group group,
      Sampler sampler,
      @Nullable SampleRelay relay,
      Source source,
      ThreadTeam team,
      Memory memory,
      long mostBytes,
      Lane sampling,
      Lane fetching) {
    this.sampling = sampling;
    this.fetchingLane = fetching;
    this.group = group;
    this.sampler = sampler;
    this.relay = relay;
    this.source = source;
    this.memory = memory;
    FeaturePlaces places = source.places;
    if (places == null) {
      rows = null;
      fetch = null;
      return;
    }
    rows = new NeededRows(places, team, memory);
    fetch = FeatureFetch.of(source.features, group, rows, team, memory, mostBytes, fetching);
  }

  /** Memory for so many batches at once. */
  public Macrobatch newMacrobatch(int most) {
    return new Macrobatch(sampler, most, source.features, fetch != null, memory);
  }

  /** Whether rows of features are fetched; else they are read where they lie. */
  boolean fetches() {
    return fetch != null;
  }

  /** Loads consecutive batches of an epoch, in the place of what was there. */
  public void load(SeedOrder seeds, int first, int count, Macrobatch into) {
    sample(seeds, first, count, into);
    fetch(count, into);
  }

  /** Draws the neighbours of consecutive batches of an epoch, in the place of what was there. */
  void sample(SeedOrder seeds, int first, int count, Macrobatch into) {
    readyCache(seeds.epoch());
    sampling.begin(Stage.SAMPLE);
    sampler.sample(seeds, first, into.batches(count));
    for (int k = 0; k < count; k++) {
      arcs += into.batch(k).arcs();
    }
    sampling.end();
  }

  /** Fetches the features of batches that were sampled, in the order in which they were. */
  void fetch(int count, Macrobatch into) {
    fetchingLane.begin(Stage.FETCH);
    if (rows != null && fetch != null) {
      rows.list(into.batches(count), into.indices(), source.sumsLastHop);
      fetch.fetch(into);
      loadedRows += rows.count();
      fetchedRows += rows.count() - rows.atHand();
      cachedRows += rows.atHand() - rows.own();
      readRows += rows.own();
      wantedRows += rows.wanted();
    }
    for (int k = 0; k < count && rows == null; k++) {
      SampledBatch batch = into.batch(k);
      loadedRows += batch.rows(batch.hops());
    }
    fetchingLane.end();
  }

  /**
   * Samples all batches of an epoch and fetches nothing; returns for each vertex of the graph how
   * often it would have been fetched: from another worker or, if there is none, from a file.
   */
  int[] presample(SeedOrder seeds, Macrobatch into) {
    NeededRows rows = Objects.requireNonNull(this.rows);
    int[] counts = new int[Objects.requireNonNull(source.places).vertices()];
    for (int first = 0; first < seeds.batches(); first += into.size()) {
      int count = Math.min(into.size(), seeds.batches() - first);
      sampler.sample(seeds, first, into.batches(count));
      rows.list(into.batches(count), into.indices(), source.sumsLastHop);
      for (int row = group.size() == 1 ? 0 : rows.atHand(); row < rows.count(); row++) {
        counts[rows.vertex(row)]++;
      }
    }
    return counts;
  }

  /**
   * Fetches the features of some vertices and keeps them in memory; all workers call it once.
   *
   * @return the bytes of memory that they take
   */
  public long keep(int[] vertices) {
    if (fetch == null || rows == null) {
      throw new IllegalArgumentException("only features that are fetched are cached");
    }
    rows.list(vertices);
    Macrobatch kept = newMacrobatch(0);
    fetch.fetch(kept);
    for (int row = 0; row < rows.count(); row++) {
      Objects.requireNonNull(source.places).cache(rows.vertex(row), row);
    }
    fetch.cache(kept);
    return kept.bytes();
  }

  /**
   * Has the cache of an epoch in use, where there is one for each; all batches of the epoch before
   * are fetched by then.
   */
  void readyCache(long epoch) {
    if (byEpoch != null && fetch != null) {
      byEpoch.ready(epoch, fetch);
    }
  }

  /** Keeps rows for an epoch at a time from now on. */
  void keepByEpoch(EpochCache cache) {
    byEpoch = cache;
  }

  /** Counts from nothing again. */
  public void forgetCounts() {
    readRows = 0;
    if (byEpoch != null) {
      byEpoch.forgetCounts();
    }
    arcs = 0;
    loadedRows = 0;
    fetchedRows = 0;
    wantedRows = 0;
    cachedRows = 0;
  }

  /** Arcs of all batches so far. */
  public long arcs() {
    return arcs;
  }

  /** Rows that were read here or came from others, each once for all batches of a round. */
  long loadedRows() {
    return loadedRows;
  }

  /** Rows that came from other workers. */
  public long fetchedRows() {
    return fetchedRows;
  }

  /** Rows that would have come if every batch had fetched its own. */
  public long wantedRows() {
    return wantedRows;
  }

  /** Rows of other workers' vertices that were in the cache. */
  public long cachedRows() {
    return cachedRows;
  }

  /** Rows that this worker has and that were read for a round of batches, each once. */
  public long readRows() {
    return readRows;
  }

  /** Rows that were fetched for caches that are drawn anew for each epoch. */
  long keptRows() {
    return byEpoch == null ? 0 : byEpoch.keptRows();
  }

  /** Those of the bytes that are tables of all vertices, however many batches are loaded. */
  public long tableBytes() {
    return sampler.tableBytes() + (rows == null ? 0 : rows.tableBytes());
  }

  /** Bytes of memory for loading, macrobatches aside. */
  public long bytes() {
    return sampler.bytes()
        + (relay == null ? 0 : relay.bytes())
        + (rows == null ? 0 : rows.bytes())
        + (fetch == null ? 0 : fetch.bytes());
  }

  /** Waits until what was sent has left; memory is freed by whoever gave it. */
  @Override
  public void close() {
    if (relay != null) {
      relay.close();
    }
    if (fetch != null) {
      fetch.close();
    }
  }
}
