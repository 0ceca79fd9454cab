package dev.heddle.train.loop;

import dev.heddle.comm.Group;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Timeline;

/**
 * One worker of a run: its place among the others, who has which vertex, the threads and memory
 * that it works with, and what they did when. A worker that is alone is a group of one.
 *
 * @param owners worker r has the vertices of part r
 * @param memory lives as long as the run
 */
public record Worker(
    Group group, Partition owners, ThreadTeam team, Memory memory, Timeline timeline) {
  public Worker {
    if (owners.parts() != group.size()) {
      throw new IllegalArgumentException(
          "a partition into " + owners.parts() + " does not fit " + group.size() + " workers");
    }
  }

  /** A worker with a timeline of its own. */
  public Worker(Group group, Partition owners, ThreadTeam team, Memory memory) {
    this(group, owners, team, memory, new Timeline());
  }

  /** The worker that has all of a graph. */
  public static Worker alone(Graph graph, ThreadTeam team, Memory memory) {
    return new Worker(Group.alone(), Partition.whole(graph.vertices()), team, memory);
  }

  /** Whether there is no other. */
  public boolean isAlone() {
    return group.size() == 1;
  }

  /** The timeline's lane of the thread that drives training. */
  public Lane lane() {
    return timeline.training();
  }

  public int rank() {
    return group.rank();
  }

  /** Whether a vertex is this worker's. */
  public boolean owns(int vertex) {
    return owners.partOf(vertex) == group.rank();
  }

  /** The sum of a value over all workers. */
  public double sum(double value) {
    double[] sum = {value};
    group.sum(sum);
    return sum[0];
  }
}
