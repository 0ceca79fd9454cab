package dev.heddle.train.batch;

import dev.heddle.comm.Group;
import dev.heddle.comm.Parcels;
import dev.heddle.graph.sample.FeaturePlaces;
import dev.heddle.graph.sample.MacroRows;
import dev.heddle.graph.sample.MacroSampler;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.kernel.Csr;
import org.jspecify.annotations.Nullable;

/**
 * Samples several batches at once and fetches the features that they need, together with all other
 * workers, who do the same for theirs. Sampling does not depend on parameters and features do not
 * change, so that it makes no difference to what is trained how many are loaded at once.
 */
public final class MacroLoader implements AutoCloseable {
  private final MacroSampler sampler;
  private final SampleRelay sampling;
  private final MacroRows rows;
  private final FeatureFetch fetching;
  private final Source source;
  private final NeighbourSampler.Place place;
  private @Nullable Macrobatch kept;
  private long arcs;
  private long fetchedRows;
  private long wantedRows;
  private long cachedRows;
  private long sampleNanos;
  private long fetchNanos;

  /**
   * Where features come from.
   *
   * @param lastHopGathers whether vertices that the last hop names are needed too, though they have
   *     no rows
   */
  public record Source(FeaturePlaces places, OwnFeatures features, boolean lastHopGathers) {}

  private MacroLoader(
      Group group, MacroSampler sampler, Source source, NeighbourSampler.Place place, long most) {
    this.sampler = sampler;
    this.source = source;
    this.place = place;
    rows = new MacroRows(source.places, place);
    sampling = new SampleRelay(group, sampler, place.memory(), most);
    fetching =
        switch (source.features) {
          case OwnFeatures.Dense dense -> new DenseFetch(group, rows, dense, place, most);
          case OwnFeatures.Sparse(Csr own) -> new SparseFetch(group, rows, own, place, most);
        };
  }

  /**
   * A loader; all workers make theirs alike, and load the same batches.
   *
   * @param group one that is for nothing else
   */
  public static MacroLoader of(
      Group group, MacroSampler sampler, Source source, NeighbourSampler.Place place) {
    return new MacroLoader(group, sampler, source, place, Parcels.MOST_BYTES);
  }

  /** The same with messages of at most so many bytes. */
  static MacroLoader cutting(
      Group group, MacroSampler sampler, Source source, NeighbourSampler.Place place, long most) {
    return new MacroLoader(group, sampler, source, place, most);
  }

  /** Memory for so many batches at once. */
  public Macrobatch newMacrobatch(int most) {
    return new Macrobatch(sampler, most, source.features, place.memory());
  }

  /** Loads consecutive batches of an epoch, in the place of what was there. */
  public void load(SeedOrder seeds, int first, int count, Macrobatch into) {
    long start = System.nanoTime();
    sampling.sample(seeds, first, into.batches(count));
    long sampled = System.nanoTime();
    rows.list(into.batches(count), into.indices(), source.lastHopGathers);
    fetching.fetch(into);
    for (int k = 0; k < count; k++) {
      arcs += into.batch(k).arcs();
    }
    fetchedRows += rows.count() - rows.atHand();
    cachedRows += rows.atHand() - rows.own();
    wantedRows += rows.wanted();
    sampleNanos += sampled - start;
    fetchNanos += System.nanoTime() - sampled;
  }

  /**
   * Samples all batches of an epoch and fetches nothing; returns for each vertex of the graph how
   * often it would have been fetched from another worker.
   */
  int[] presample(SeedOrder seeds, Macrobatch into) {
    int[] counts = new int[source.places.vertices()];
    for (int first = 0; first < seeds.batches(); first += into.size()) {
      int count = Math.min(into.size(), seeds.batches() - first);
      sampling.sample(seeds, first, into.batches(count));
      rows.list(into.batches(count), into.indices(), source.lastHopGathers);
      for (int row = rows.atHand(); row < rows.count(); row++) {
        counts[rows.vertex(row)]++;
      }
    }
    return counts;
  }

  /** Fetches the features of some vertices of others and keeps them; all workers call it once. */
  public void keep(int[] vertices) {
    if (!(fetching instanceof DenseFetch dense)) {
      throw new IllegalArgumentException("only dense features are cached");
    }
    rows.list(vertices);
    kept = new Macrobatch(sampler, 0, source.features, place.memory());
    fetching.fetch(kept);
    for (int row = 0; row < rows.count(); row++) {
      source.places.cache(rows.vertex(row), row);
    }
    dense.cache(kept);
  }

  /** Counts from nothing again. */
  public void forgetCounts() {
    arcs = 0;
    fetchedRows = 0;
    wantedRows = 0;
    cachedRows = 0;
    sampleNanos = 0;
    fetchNanos = 0;
  }

  /** Arcs of all batches so far. */
  public long arcs() {
    return arcs;
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

  public double sampleSeconds() {
    return sampleNanos * 1e-9;
  }

  public double fetchSeconds() {
    return fetchNanos * 1e-9;
  }

  /** Those of the bytes that are tables of all vertices, however many batches are loaded. */
  public long tableBytes() {
    return sampling.tableBytes() + rows.tableBytes();
  }

  /** Bytes of memory for loading, macrobatches aside. */
  public long bytes() {
    return sampling.bytes() + rows.bytes() + fetching.bytes();
  }

  @Override
  public void close() {
    sampling.close();
    fetching.close();
    rows.close();
    if (kept != null) {
      kept.close();
    }
  }
}
