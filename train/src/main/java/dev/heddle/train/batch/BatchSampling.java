package dev.heddle.train.batch;

import dev.heddle.comm.Group;
import dev.heddle.comm.Parcels;
import dev.heddle.graph.partition.Constraint;
import dev.heddle.graph.partition.MultilevelPartitioner;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.partition.PartitionSettings;
import dev.heddle.graph.sample.AccessOdds;
import dev.heddle.graph.sample.ArcExchange;
import dev.heddle.graph.sample.BlockNeeds;
import dev.heddle.graph.sample.CachedVertices;
import dev.heddle.graph.sample.ClusterSampler;
import dev.heddle.graph.sample.CooperativeSampler;
import dev.heddle.graph.sample.LayerSampler;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.graph.sample.OwnArcs;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.Sampler;
import dev.heddle.graph.sample.SamplerKind;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.graph.sample.ShadowSampler;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.Fetch.Topology;
import dev.heddle.train.settings.TrainSettings;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How an epoch is cut into batches, and who samples them.
 *
 * @param seeds of each batch: this worker's training vertices, or parts of the graph
 * @param mostSeeds training vertices that this worker can have in a batch
 * @param arcs that this worker draws from; null for samplers of subgraphs
 * @param relay by which the sampler asks others; null where nobody is asked
 * @param cached which vertices input layers are sampled from; null where these are all
 */
record BatchSampling(
    Sampler sampler,
    SeedOrder seeds,
    int mostSeeds,
    @Nullable OwnArcs arcs,
    @Nullable SampleRelay relay,
    @Nullable CachedVertices cached) {
  /** Parts that make up a batch: several, so that arcs between parts count in some epochs. */
  private static final int PARTS_PER_BATCH = 8;

  /**
   * Sampling as the settings say; all workers make theirs at the same point.
   *
   * @param learns whether a training vertex is this worker's to learn from
   * @param batches which may have a hop less than the settings
   * @param hops that the model takes
   * @param group for nothing but loading batches
   * @param lane of the thread that samples
   * @param cacheRows vertices that are expected in the cache of an epoch; 0 where there is none
   */
  static BatchSampling of(
      LocalGraph local,
      IntPredicate learns,
      BatchSettings batches,
      int hops,
      BlockNeeds needs,
      TrainSettings settings,
      Group group,
      ThreadTeam team,
      Memory memory,
      Lane lane,
      int cacheRows) {
    SampleSettings sampling = batches.sampling();
    Csr in = local.whole().in();
    int[] train = TrainableGraph.split(local.whole()).train();
    if (sampling.kind() == SamplerKind.CLUSTER) {
      return clusters(local, batches, hops, needs, settings.seed(), team, memory);
    }
    Worker worker = local.worker();
    SeedOrder order = SeedOrder.of(train, batches.size(), settings.seed());
    SeedOrder seeds = worker.isAlone() ? order : order.seeing(learns);
    if (sampling.kind() == SamplerKind.SHADOW) {
      Sampler sampler = new ShadowSampler(in, sampling, hops, needs, team, memory);
      return new BatchSampling(sampler, seeds, seeds.batchSize(), null, null, null);
    }
    if (settings.knobs().together(worker.group().size())) {
      OwnArcs own =
          settings.knobs().fetch().inPlace()
              ? OwnArcs.inPlace(in, worker.owners(), worker.rank())
              : OwnArcs.of(in, worker.owners(), worker.rank(), memory);
      SampleRelay relay = new SampleRelay(group, memory, Parcels.MOST_BYTES, lane);
      int depth = settings.knobs().batchSplit().depth().layers();
      Sampler sampler = CooperativeSampler.of(own, sampling, depth, needs, team, memory, relay);
      return new BatchSampling(sampler, seeds, seeds.batchSize(), own, relay, null);
    }
    if (sampling.kind().layerwise()) {
      // Compatibility has seen to it that all arcs are here.
      OwnArcs everything = OwnArcs.everything(in, worker.owners(), worker.rank());
      Sampler sampler = LayerSampler.of(everything, sampling, needs, team, memory);
      return new BatchSampling(sampler, seeds, seeds.batchSize(), everything, null, null);
    }
    OwnArcs arcs = arcs(in, worker, settings.knobs().fetch(), settings.memoryLimit(), memory);
    SampleRelay relay =
        arcs.everything() ? null : new SampleRelay(group, memory, Parcels.MOST_BYTES, lane);
    ArcExchange exchange = relay == null ? ArcExchange.NONE : relay;
    if (cacheRows > 0) {
      CachedVertices cached =
          cached(arcs, order, train, batches, settings, group, memory, cacheRows);
      Sampler sampler =
          NeighbourSampler.preferring(cached, arcs, sampling, needs, team, memory, exchange);
      return new BatchSampling(sampler, seeds, seeds.batchSize(), arcs, relay, cached);
    }
    Sampler sampler = NeighbourSampler.of(arcs, sampling, needs, team, memory, exchange);
    return new BatchSampling(sampler, seeds, seeds.batchSize(), arcs, relay, null);
  }

  private static CachedVertices cached(
      OwnArcs arcs,
      SeedOrder order,
      int[] train,
      BatchSettings batches,
      TrainSettings settings,
      Group group,
      Memory memory,
      int size) {
    int n = arcs.in().rows();
    MemorySegment worth;
    if (settings.knobs().fetch().cache().by() == Fetch.Rank.DEGREE) {
      worth = CacheRanking.degrees(group, arcs, memory);
    } else {
      try (Memory scratch = memory.child()) {
        var odds = new AccessOdds(arcs, batches.sampling(), scratch);
        float each = Math.min(1, (float) order.total(0) / train.length);
        worth = CacheRanking.probabilities(group, odds, train, each, n, memory);
      }
    }
    return new CachedVertices(worth, n, size, settings.seed());
  }

  /** Parts of about an eighth of a batch's training vertices each. */
  private static BatchSampling clusters(
      LocalGraph local,
      BatchSettings batches,
      int hops,
      BlockNeeds needs,
      long seed,
      ThreadTeam team,
      Memory memory) {
    int[] train = TrainableGraph.split(local.whole()).train();
    long wanted = ((long) PARTS_PER_BATCH * train.length - 1) / batches.size() + 1;
    int parts = Math.clamp(wanted, 1, local.whole().vertices());
    var constraints = EnumSet.of(Constraint.VERTICES, Constraint.TRAIN);
    Partition partition =
        new MultilevelPartitioner()
            .partition(local.whole(), new PartitionSettings(parts, 0, 1.1, constraints), team);
    var clusters = new ClusterSampler.Clusters(local.whole().in(), partition, train);
    int[] all = IntStream.range(0, parts).toArray();
    return new BatchSampling(
        new ClusterSampler(clusters, hops, needs, team, memory),
        SeedOrder.of(all, PARTS_PER_BATCH, seed),
        train.length,
        null,
        null,
        null);
  }

  private static OwnArcs arcs(Csr in, Worker worker, Fetch fetch, long memoryLimit, Memory memory) {
    if (worker.isAlone()) {
      return OwnArcs.whole(in);
    }
    long bytes = 8L * in.rows() + (in.weights() == null ? 4 : 8) * in.arcs();
    boolean everything =
        switch (fetch.topology()) {
          case PARTITIONED -> false;
          case REPLICATED -> true;
          case AUTO -> worker.sum(bytes > memoryLimit / 4 ? 1 : 0) == 0;
        };
    if (everything) {
      return OwnArcs.everything(in, worker.owners(), worker.rank());
    }
    return fetch.inPlace()
        ? OwnArcs.inPlace(in, worker.owners(), worker.rank())
        : OwnArcs.of(in, worker.owners(), worker.rank(), memory);
  }

  /** Who has which arcs. */
  Topology topology() {
    return relay == null ? Topology.REPLICATED : Topology.PARTITIONED;
  }
}
