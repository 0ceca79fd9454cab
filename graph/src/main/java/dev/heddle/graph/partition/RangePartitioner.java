package dev.heddle.graph.partition;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.ThreadTeam;

/**
 * Parts of consecutive vertices with about equally many arcs, in no time: good where vertices lie
 * in an order that keeps neighbours together.
 */
public final class RangePartitioner implements Partitioner {
  @Override
  public Partition partition(Graph graph, PartitionSettings settings, ThreadTeam team) {
    settings.requireFit(graph.vertices());
    Csr in = graph.in();
    int n = in.rows();
    int parts = settings.parts();
    int[] part = new int[n];
    int current = 0;
    for (int v = 0; v < n; v++) {
      // Each vertex where the middle of its arcs falls; one more each, for those without any.
      double middle = (in.offset(v) + in.offset(v + 1)) / 2.0 + v + 0.5;
      int wanted = (int) (middle * parts / (in.arcs() + n));
      // No part is skipped, and none of those to come is left without a vertex.
      int least = Math.max(current, parts - (n - v));
      int most = v == 0 ? 0 : current + 1;
      current = Math.min(Math.max(wanted, least), Math.max(most, parts - (n - v)));
      part[v] = current;
    }
    return Partition.of(parts, part);
  }
}
