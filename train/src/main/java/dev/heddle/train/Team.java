package dev.heddle.train;

import dev.heddle.comm.Group;
import dev.heddle.graph.GraphPart;

/**
 * The workers that train on one graph together, as one of them sees them.
 *
 * @param owners which of them has which vertex
 */
public record Team(Group group, GraphPart.Owners owners) {
  public Team {
    if (owners.workers() != group.size()) {
      throw new IllegalArgumentException(
          "a partition into " + owners.workers() + " does not fit " + group.size() + " workers");
    }
  }
}
