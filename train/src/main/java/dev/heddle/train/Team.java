package dev.heddle.train;

import dev.heddle.comm.Group;
import dev.heddle.graph.partition.Partition;

/**
 * The workers that train on one graph together, as one of them sees them.
 *
 * @param partition worker r has the vertices of part r
 */
public record Team(Group group, Partition partition) {
  public Team {
    if (partition.parts() != group.size()) {
      throw new IllegalArgumentException(
          "a partition into " + partition.parts() + " does not fit " + group.size() + " workers");
    }
  }
}
