package dev.heddle.train;

import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Constraint;
import dev.heddle.graph.partition.MultilevelPartitioner;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.partition.PartitionSettings;
import dev.heddle.graph.sample.BlockNeeds;
import dev.heddle.graph.sample.ClusterSampler;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.Sampler;
import dev.heddle.graph.sample.SamplerKind;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.graph.sample.ShadowSampler;
import dev.heddle.nn.ModelSpec;
import java.util.EnumSet;
import java.util.stream.IntStream;

/**
 * How an epoch is cut into batches, and who samples them.
 *
 * @param order of what makes batches: training vertices, or parts of the graph
 * @param mostSeeds that a batch can have
 */
record BatchPlan(Sampler sampler, SeedOrder order, int mostSeeds) {
  /** Parts that make up a batch: several, so that arcs between parts count in some epochs. */
  private static final int PARTS_PER_BATCH = 8;

  /** What is trained, on what, and how. */
  record Subject(Graph graph, ModelSpec spec, BatchSettings batches, long seed) {}

  static BatchPlan of(Subject subject, BlockNeeds needs, NeighbourSampler.Place place) {
    SampleSettings sampling = subject.batches().sampling();
    int hops = subject.spec().hops();
    int[] train = TrainableGraph.split(subject.graph()).train();
    if (sampling.kind() == SamplerKind.CLUSTER) {
      return clusters(subject, train, needs, place);
    }
    SeedOrder order = SeedOrder.of(train, subject.batches().size(), subject.seed());
    Sampler sampler =
        sampling.kind() == SamplerKind.SHADOW
            ? new ShadowSampler(
                new ShadowSampler.SampleSource(subject.graph().in(), sampling), hops, needs, place)
            : NeighbourSampler.of(subject.graph().in(), sampling, needs, place);
    return new BatchPlan(sampler, order, order.batchSize());
  }

  /** Parts of about an eighth of a batch's training vertices each. */
  private static BatchPlan clusters(
      Subject subject, int[] train, BlockNeeds needs, NeighbourSampler.Place place) {
    long wanted = ((long) PARTS_PER_BATCH * train.length - 1) / subject.batches().size() + 1;
    int parts = Math.clamp(wanted, 1, subject.graph().vertices());
    Partition partition =
        new MultilevelPartitioner()
            .partition(
                subject.graph(),
                new PartitionSettings(
                    parts, 0, 1.1, EnumSet.of(Constraint.VERTICES, Constraint.TRAIN)),
                place.team());
    var clusters = new ClusterSampler.Clusters(subject.graph().in(), partition, train);
    int[] all = IntStream.range(0, parts).toArray();
    return new BatchPlan(
        new ClusterSampler(clusters, subject.spec().hops(), needs, place),
        SeedOrder.of(all, PARTS_PER_BATCH, subject.seed()),
        train.length);
  }
}
