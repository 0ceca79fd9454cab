package dev.heddle.train.batch;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.comm.Group;
import dev.heddle.comm.Parcels;
import dev.heddle.graph.sample.CachedVertices;
import dev.heddle.graph.sample.FeaturePlaces;
import dev.heddle.graph.sample.GrowingBuffer;
import dev.heddle.graph.sample.NeededRows;
import dev.heddle.graph.sample.Sampler;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Pipeline;
import dev.heddle.train.pipeline.Stage;
import dev.heddle.train.pipeline.StageSpec;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The cache of global neighbour sampling: for each epoch a set of vertices, {@link CachedVertices},
 * and the rows of features of those that are others' or lie in files, fetched once. The next
 * epoch's is drawn and fetched by a thread and a group of its own while this one's is used, and
 * takes its place between epochs, in the thread that loads batches. There are two, and the one in
 * use is never written.
 */
final class EpochCache implements AutoCloseable {
  private final CachedVertices vertices;
  private final Worker worker;
  private final FeaturePlaces places;
  private final FeaturePlaces origins;
  private final NeededRows rows;
  private final FeatureFetch fetching;
  private final ThreadTeam team;
  private final Memory memory;
  private final Pipeline<Cached> pipeline;
  private @Nullable Cached current;
  private long epoch = -1;
  private long keptRows;

  /** A set, and the rows that were fetched for it. */
  private static final class Cached {
    private final MemorySegment set;
    private final GrowingBuffer list;
    private final GrowingBuffer fetched;
    private final Macrobatch kept;
    private int count;

    Cached(MemorySegment set, Macrobatch kept, Memory memory) {
      this.set = set;
      this.kept = kept;
      list = new GrowingBuffer(memory);
      fetched = new GrowingBuffer(memory);
    }

    /** The vertex of a row. */
    int vertex(int row) {
      return fetched.segment().getAtIndex(JAVA_INT, row);
    }
  }

  /**
   * A cache; all workers make theirs at the same point.
   *
   * @param source where batches find features; what is cached is entered there
   * @param origins where features are while nothing is cached
   * @param caller lane of the thread that loads batches
   */
  EpochCache(
      CachedVertices vertices,
      Sampler sampler,
      MacroLoader.Source source,
      FeaturePlaces origins,
      Worker worker,
      Group group,
      Lane caller) {
    this.vertices = vertices;
    this.worker = worker;
    this.origins = origins;
    places = Objects.requireNonNull(source.places());
    memory = worker.memory().child();
    team = ThreadTeam.of(1);
    Lane lane = worker.timeline().lane("cache");
    rows = new NeededRows(origins, team, memory);
    OwnFeatures own = source.features();
    fetching = FeatureFetch.of(own, group, rows, team, memory, Parcels.MOST_BYTES, lane);
    Stream<Cached> caches =
        Stream.generate(() ->
            new Cached(
                vertices.newSet(memory),
                new Macrobatch(sampler, 0, own, /* fetched= */ true, memory),
                memory));
    StageSpec<Cached> fill = StageSpec.first(Stage.LOAD, lane, (slot, of, _) -> fill(of, slot));
    pipeline = Pipeline.feeding(caller, caches.limit(2).toList(), 1, List.of(fill));
  }

  /** Epochs up to this one will follow one another: caches are filled ahead of them. */
  void expect(int lastEpoch) {
    pipeline.expect(lastEpoch);
  }

  /** Draws the cache of an epoch and fetches its rows. */
  private void fill(int of, Cached into) {
    int drawn = vertices.draw(of, into.set, into.list);
    MemorySegment list = into.list.segment();
    int wanted = 0;
    for (int i = 0; i < drawn; i++) {
      int vertex = list.getAtIndex(JAVA_INT, i);
      // What others ask for is found by its place, too: own rows stay where they are.
      if (worker.isAlone() || !worker.owns(vertex)) {
        list.setAtIndex(JAVA_INT, wanted++, vertex);
      }
    }
    rows.list(list, wanted);
    fetching.fetch(into.kept);
    into.count = rows.count();
    into.fetched.require((long) into.count * Integer.BYTES);
    for (int row = 0; row < into.count; row++) {
      into.fetched.segment().setAtIndex(JAVA_INT, row, rows.vertex(row));
    }
  }

  /**
   * Has the cache of an epoch in use, if it is not yet; called between batches by the thread that
   * loads them.
   */
  void ready(long next, FeatureFetch batches) {
    if (next == epoch) {
      return;
    }
    if (current != null) {
      // Before it is given back, and filled again.
      for (int row = 0; row < current.count; row++) {
        places.restore(current.vertex(row), origins);
      }
    }
    pipeline.begin(Math.toIntExact(next));
    Cached cached = pipeline.next();
    pipeline.end();
    for (int row = 0; row < cached.count; row++) {
      places.cache(cached.vertex(row), row);
    }
    batches.cache(cached.kept);
    vertices.use(cached.set);
    keptRows += cached.count;
    current = cached;
    epoch = next;
  }

  /** Rows that were fetched for caches, of all epochs so far. */
  long keptRows() {
    return keptRows;
  }

  void forgetCounts() {
    keptRows = 0;
  }

  /**
   * Bytes of both caches, of which one has been filled, and of tables of all vertices for filling
   * them.
   */
  long plannedBytes() {
    return memory.bytes() + (current == null ? 0 : current.kept.bytes());
  }

  @Override
  public void close() {
    pipeline.close();
    fetching.close();
    team.close();
  }
}
