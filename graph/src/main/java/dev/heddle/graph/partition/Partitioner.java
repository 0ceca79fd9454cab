package dev.heddle.graph.partition;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.ThreadTeam;

/** A way to partition a graph. The same settings give the same partition for any team. */
public sealed interface Partitioner
    permits MultilevelPartitioner, StreamingPartitioner, RandomPartitioner, RangePartitioner {
  Partition partition(Graph graph, PartitionSettings settings, ThreadTeam team);
}
