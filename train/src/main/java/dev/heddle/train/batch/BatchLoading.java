package dev.heddle.train.batch;

import dev.heddle.comm.Group;
import dev.heddle.comm.Parcels;
import dev.heddle.graph.sample.AccessOdds;
import dev.heddle.graph.sample.BlockNeeds;
import dev.heddle.graph.sample.SeedOrder;
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

  /** Whether workers compute every batch together. */
  private final boolean together;

  /**
   * Loading of a model's batches; all workers make theirs at the same point.
   *
   * @param aggregated the sums of {@link InputSum#WHOLE} for this worker's vertices; else null
   */
  BatchLoading(
      LocalGraph local,
      Model model,
      BatchSettings batches,
      TrainSettings settings,
      InputSum sum,
      @Nullable Matrix aggregated) {
    worker = local.worker();
    memory = worker.memory().child();
    arcs = memory.child();
    features = memory.child();
    together = settings.knobs().together(worker.group().size());
    queues = settings.knobs().queues();
    boolean ahead = settings.knobs().fetch().ahead();
    if (queues.on()) {
      sampleLane = worker.timeline().lane("sample");
      fetchLane = worker.timeline().lane("fetch");
    } else {
      sampleLane = ahead ? worker.timeline().lane("load") : worker.lane();
      fetchLane = sampleLane;
    }
    // A team serves one caller at a time: what works ahead has threads of its own.
    ThreadTeam sampleTeam = ahead || queues.on() ? newTeam() : worker.team();
    ThreadTeam fetchTeam = queues.on() ? newTeam() : sampleTeam;
    try {
      Architecture kind = model.spec().kind();
      Group sampleGroup = everyone();
      Group fetchGroup = queues.on() ? everyone() : sampleGroup;
      BatchSettings drawn = aggregated == null ? batches : batches.withoutLastHop();
      boolean sampled = sum == InputSum.SAMPLED;
      var needs = new BlockNeeds(kind.selfLoops(), kind.aggregation(), sampled);
      sampling =
          BatchSampling.of(
              local,
              drawn,
              model.hops(),
              needs,
              settings,
              sampleGroup,
              sampleTeam,
              arcs,
              sampleLane);
      boolean half = sampled && settings.halfWidth();
      MacroLoader.Source source =
          new BatchFeatures(local, settings, aggregated, half, features).source(sampled);
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
      Fetch fetch = settings.knobs().fetch().within(settings.memoryLimit());
      int least =
          switch (queues) {
            case Queues.Off() -> ahead ? 2 : 1;
            case Queues.Fixed(int length) -> length + IN_HAND;
            case Queues.Adaptive() -> 1 + IN_HAND;
          };
      int mostSlots = queues instanceof Queues.Adaptive ? Queues.MOST + IN_HAND : least;
      size = MacroSize.of(worker.group(), loader, sampling.seeds(), fetch, least, mostSlots);
      Fetch.Cache cache = fetch.cache();
      long kept = 0;
      if (cache.bytes() > 0) {
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

  private int[] mostWanted(Fetch.Rank by, int[] train, BatchSettings drawn, int most) {
    SeedOrder seeds = sampling.seeds();
    return switch (by) {
      case PRESAMPLED -> {
        try (Macrobatch scratch = newMacrobatch()) {
          yield CacheRanking.presampled(loader, seeds, scratch, most);
        }
      }
      case VIP -> {
        try (Memory scratch = memory.child()) {
          var arcs = Objects.requireNonNull(sampling.arcs());
          var odds = new AccessOdds(arcs, drawn.sampling(), scratch);
          float each = Math.min(1, (float) seeds.total(0) / train.length);
          yield together
              ? CacheRanking.probableOwn(worker.group(), odds, train, worker.owners(), each, most)
              : CacheRanking.probable(worker.group(), odds, train, worker.owners(), each, most);
        }
      }
    };
  }

  /** Rows that a cache has room for. */
  private int cacheRows(Fetch.Cache cache, OwnFeatures own) {
    long eightRows = 0;
    if (own instanceof OwnFeatures.Dense dense) {
      for (OwnFeatures.Column column : dense.columns()) {
        // Memory that grows has an eighth to spare.
        eightRows += Matrix.bytes(9, column.own().cols());
      }
    }
    return (int) Math.min(worker.owners().vertices(), 8 * cache.bytes() / eightRows);
  }

  BatchSampling sampling() {
    return sampling;
  }

  /** Macrobatches that there are at a time, at most. */
  int slots() {
    return size.slots();
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
    loader.close();
    closeLoaders();
  }

  private void closeLoaders() {
    loaders.forEach(ThreadTeam::close);
  }
}
