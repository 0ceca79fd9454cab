package dev.heddle.graph.partition;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.ThreadTeam;

/**
 * Parts of equally many vertices drawn at random: what any other partition is to be better than.
 */
public final class RandomPartitioner implements Partitioner {
  @Override
  public Partition partition(Graph graph, PartitionSettings settings, ThreadTeam team) {
    settings.requireFit(graph.vertices());
    long key = Draws.key(Draws.Domain.PARTITION, settings.seed(), 0, 0, 0);
    int[] order = Shuffle.of(graph.vertices(), key);
    int[] part = new int[order.length];
    for (int i = 0; i < order.length; i++) {
      part[order[i]] = i % settings.parts();
    }
    return Partition.of(settings.parts(), part);
  }
}
