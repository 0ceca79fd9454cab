package dev.heddle.train.batch;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Parcels;
import dev.heddle.comm.Sent;
import dev.heddle.graph.Graph;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.sample.AccessOdds;
import dev.heddle.graph.sample.BlockNeeds;
import dev.heddle.graph.sample.CachedVertices;
import dev.heddle.graph.sample.FeaturePlaces;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Architecture;
import dev.heddle.nn.Model;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Stage;
import dev.heddle.train.pipeline.StageSpec;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.Queues;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How one worker's batches are loaded: who draws arcs, where features come from and which of them
 * are kept at hand, and how many batches are loaded at once.
 */
final class BatchLoading implements AutoCloseable {
  /** Macrobatches that stages have in hand: one each that is sampled, fetched, trained on. */
  private static final int IN_HAND = 3;

  private final Worker worker;
  private final BatchGroups groups;
  private final List<ThreadTeam> loaders = new ArrayList<>();
  private final Queues queues;
  private final Lane sampleLane;
  private final Lane fetchLane;
  private final Memory memory;
  private final BatchSampling sampling;
  private final MacroLoader loader;
  private final MacroSize size;
  private final Memory arcs;
  private final Memory features;
  private final long cacheBytes;
  private final Graph whole;
  private @Nullable EpochCache byEpoch;
  private Sent cacheSent = Sent.NOTHING;

  /** Whether workers compute every batch together. */
  private final boolean together;

  /**
   * Loading of a model's batches; all workers make theirs at the same point.
   *
   * @param local of this worker within its group
   * @param aggregated the sums of {@link InputSum#WHOLE} for this worker's vertices; else null
   */
  BatchLoading(
      LocalGraph local,
      BatchGroups groups,
      Model model,
      BatchSettings batches,
      TrainSettings settings,
      InputSum sum,
      @Nullable Matrix aggregated) {
    worker = local.worker();
    this.groups = groups;
    memory = worker.memory().child();
    arcs = memory.child();
    features = memory.child();
    together = settings.knobs().together(worker.group().size());
    queues = settings.knobs().queues();
    boolean ahead = settings.knobs().fetch().ahead();
    boolean early = ahead || queues.on();
    if (queues.on()) {
      sampleLane = worker.timeline().lane("sample");
      fetchLane = worker.timeline().lane("fetch");
    } else {
      sampleLane = early ? worker.timeline().lane("load") : worker.lane();
      fetchLane = sampleLane;
    }
    // A team serves one caller at a time: what works ahead has threads of its own.
    ThreadTeam sampleTeam = early ? newTeam() : worker.team();
    ThreadTeam fetchTeam = queues.on() ? newTeam() : sampleTeam;
    try {
      Architecture kind = model.spec().kind();
      Group sampleGroup = everyone();
      Group fetchGroup = queues.on() ? everyone() : sampleGroup;
      BatchSettings drawn = aggregated == null ? batches : batches.withoutLastHop();
      boolean sampled = sum == InputSum.SAMPLED;
      var needs = new BlockNeeds(kind.selfLoops(), kind.aggregation(), sampled);
      boolean half = sampled && settings.halfWidth();
      var places = new BatchFeatures(local, settings, aggregated, half, features);
      MacroLoader.Source source = places.source(sampled);
      Fetch fetch = settings.knobs().fetch().within(settings.memoryLimit());
      Fetch.Cache cache = fetch.cache();
      whole = local.whole();
      boolean gns = cache.rows() == Fetch.Rows.GNS;
      sampling =
          BatchSampling.of(
              local,
              groups::learns,
              drawn,
              model.hops(),
              needs,
              settings,
              sampleGroup,
              sampleTeam,
              arcs,
              sampleLane,
              gns ? cacheRows(cache, source.features()) : 0);
      loader =
          new MacroLoader(
              // Who samples together loads its own rows and asks nobody for others.
              together ? Group.alone() : fetchGroup,
              sampling.sampler(),
              sampling.relay(),
              source,
              fetchTeam,
              memory,
              Parcels.MOST_BYTES,
              sampleLane,
              fetchLane);
      byEpoch = sampling.cached() == null ? null : byEpoch(sampling.cached(), source, places);
      int least =
          switch (queues) {
            case Queues.Off() -> ahead ? 2 : 1;
            case Queues.Fixed(int length) -> length + IN_HAND;
            case Queues.Adaptive() -> 1 + IN_HAND;
          };
      int mostSlots = queues instanceof Queues.Adaptive ? Queues.MOST + IN_HAND : least;
      size = MacroSize.of(groups.all().group(), loader, sampling.seeds(), fetch, least, mostSlots);
      long kept = byEpoch == null ? 0 : byEpoch.plannedBytes();
      if (cache.keeps() && !gns) {
        int most = cacheRows(cache, source.features());
        int[] train = TrainableGraph.split(local.whole()).train();
        kept = loader.keep(mostWanted(cache.by(), train, drawn, most));
      }
      cacheBytes = kept;
    } catch (RuntimeException | Error e) {
      closeLoaders();
      throw e;
    }
  }

  private ThreadTeam newTeam() {
    ThreadTeam team = ThreadTeam.of(1);
    loaders.add(team);
    return team;
  }

  /** All workers, for loading alone: its messages and those of gradients never meet. */
  private Group everyone() {
    return worker.group().subgroup(IntStream.range(0, worker.group().size()).toArray());
  }

  /** Caches that are drawn for each epoch; that of the first is filled, to see what it sends. */
  private EpochCache byEpoch(
      CachedVertices cached, MacroLoader.Source source, BatchFeatures places) {
    FeaturePlaces origins = Objects.requireNonNull(places.places());
    EpochCache made =
        new EpochCache(cached, sampling.sampler(), source, origins, worker, everyone(), sampleLane);
    loader.keepByEpoch(made);
    worker.group().barrier();
    Sent before = Sent.by(worker.group().traffic());
    loader.readyCache(1);
    worker.group().barrier();
    Sent all = Sent.by(worker.group().traffic()).plus(before.times(-1));
    for (Kind kind : List.of(Kind.FEATURE_REQUEST, Kind.FEATURE)) {
      cacheSent = cacheSent.plus(kind, all.of(kind));
    }
    return made;
  }

  /** What this worker sends in an epoch for caches. */
  Sent cacheSent() {
    return cacheSent;
  }

  /** Epochs up to this one will follow one another. */
  void expect(int lastEpoch) {
    if (byEpoch != null) {
      byEpoch.expect(lastEpoch);
    }
  }

  private int[] mostWanted(Fetch.Rank by, int[] train, BatchSettings drawn, int most) {
    SeedOrder seeds = sampling.seeds();
    return switch (by) {
      case PRESAMPLED -> {
        try (Macrobatch scratch = newMacrobatch()) {
          yield CacheRanking.presampled(loader, seeds, scratch, most);
        }
      }
      case DEGREE -> {
        try (Memory scratch = memory.child()) {
          var arcs = Objects.requireNonNull(sampling.arcs());
          yield CacheRanking.mostSources(worker.group(), arcs, together, most, scratch);
        }
      }
      case VIP -> {
        try (Memory scratch = memory.child()) {
          var arcs = Objects.requireNonNull(sampling.arcs());
          var odds = new AccessOdds(arcs, drawn.sampling(), scratch);
          float each = Math.min(1, (float) seeds.total(0) / train.length);
          yield together
              ? CacheRanking.probableOwn(
                  worker.group(),
                  odds,
                  IntStream.of(train).filter(groups::groupLearns).toArray(),
                  worker.owners(),
                  each,
                  most)
              : CacheRanking.probable(worker.group(), odds, train, worker.owners(), each, most);
        }
      }
    };
  }

  /** Rows that a cache has room for. */
  private int cacheRows(Fetch.Cache cache, OwnFeatures own) {
    long eightRows = 0;
    switch (own) {
      case OwnFeatures.Dense dense -> {
        for (OwnFeatures.Column column : dense.columns()) {
          // Memory that grows has an eighth to spare.
          eightRows += Matrix.bytes(9, column.own().cols());
        }
      }
      case OwnFeatures.Sparse _ -> {
        // By the mean row of the whole graph, which is the same at all workers; a quarter to spare.
        Csr all = ((SparseFeatures) TrainableGraph.features(whole)).byRow();
        eightRows = 10 * (Long.BYTES + 8 * Math.ceilDiv(all.arcs(), Math.max(1, all.rows())));
      }
    }
    int all = worker.owners().vertices();
    // As the published programs have it.
    long usual = Math.ceilDiv(all, 100);
    return (int) Math.min(all, cache.bytes() == 0 ? usual : 8 * cache.bytes() / eightRows);
  }

  BatchSampling sampling() {
    return sampling;
  }

  /** Macrobatches that there are at a time, at most. */
  int slots() {
    return size.slots();
  }

  /** Whether what batches are drawn from and fetched from is another in each epoch. */
  boolean swapsCaches() {
    return byEpoch != null;
  }

  /** How long queues may become; 0 where there are none. */
  int longestQueue() {
    return queues.on() ? slots() - IN_HAND : 0;
  }

  /** Batches that are loaded at once. */
  int macrobatch() {
    return size.batches();
  }

  /** How many times an epoch batches are loaded. */
  int rounds() {
    return Math.ceilDiv(sampling.seeds().batches(), size.batches());
  }

  /** Loading as a stage, or as two with a queue between, of rounds into macrobatches. */
  <S> List<StageSpec<S>> stages(Function<S, Macrobatch> macrobatch) {
    if (!queues.on()) {
      return List.of(
          StageSpec.first(
              Stage.LOAD,
              sampleLane,
              (slot, epoch, round) -> load(epoch, round, macrobatch.apply(slot))));
    }
    return List.of(
        StageSpec.first(
            Stage.LOAD,
            sampleLane,
            (slot, epoch, round) -> sample(epoch, round, macrobatch.apply(slot))),
        new StageSpec<>(
            Stage.LOAD,
            fetchLane,
            longestQueue(),
            true,
            (slot, _, round) -> loader.fetch(count(round), macrobatch.apply(slot))));
  }

  Macrobatch newMacrobatch() {
    return loader.newMacrobatch(size.batches());
  }

  /**
   * Loads the batches of one round of an epoch, whose rounds are loaded in order; says how many.
   */
  int load(int epoch, int round, Macrobatch into) {
    sample(epoch, round, into);
    loader.fetch(count(round), into);
    return count(round);
  }

  private void sample(int epoch, int round, Macrobatch into) {
    SeedOrder seeds = sampling.seeds();
    if (round == 0) {
      seeds.epoch(epoch);
    }
    loader.sample(seeds, round * size.batches(), count(round), into);
  }

  /** Batches of a round. */
  private int count(int round) {
    return Math.min(size.batches(), sampling.seeds().batches() - round * size.batches());
  }

  /** Bytes of memory that all this takes now, macrobatches included. */
  long bytes() {
    return memory.bytes();
  }

  /** Those of the bytes that are arcs to draw from, and tables of their vertices. */
  long arcBytes() {
    SampleRelay relay = sampling.relay();
    return arcs.bytes() - sampling.sampler().bytes() - (relay == null ? 0 : relay.bytes());
  }

  /** Those that say where features are, or are copies of them. */
  long featureBytes() {
    return features.bytes();
  }

  /** Those that are rows of others that are kept. */
  long cacheBytes() {
    return cacheBytes;
  }

  MacroLoader loader() {
    return loader;
  }

  FetchPlan plan() {
    return new FetchPlan(
        size.batches(), size.predictedBytes(), sampling.topology(), size.warnings());
  }

  /** Waits until what was sent has left. */
  @Override
  public void close() {
    if (byEpoch != null) {
      byEpoch.close();
      byEpoch = null;
    }
    loader.close();
    closeLoaders();
  }

  private void closeLoaders() {
    if (byEpoch != null) {
      byEpoch.close();
      byEpoch = null;
    }
    loaders.forEach(ThreadTeam::close);
  }
}
