package dev.heddle.train.batch;

import dev.heddle.comm.Group;
import dev.heddle.graph.partition.Partition;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.Knobs;
import java.util.stream.IntStream;

/**
 * Groups of workers: those of a group compute batches together, each group of its own share of the
 * seeds; only sums of gradients are over all. Workers of a group follow one another, as those of a
 * host do: rank {@code r} is way {@code r % ways} of group {@code r / ways}. In every group way
 * {@code w} owns the vertices of parts {@code w·count} to {@code (w+1)·count − 1}, which lie close
 * where a partition was made by cutting in two again and again; the seeds of part {@code p} are
 * those of group {@code p % count}. One group is all workers, each with its own part.
 *
 * @param all this worker among those of the whole run
 * @param count of groups, which all have equally many workers
 */
record BatchGroups(Worker all, int count) {
  /** The groups that knobs ask for; one where batches are not computed together. */
  static BatchGroups of(Worker all, Knobs knobs) {
    return new BatchGroups(
        all, knobs.together(all.group().size()) ? knobs.batchSplit().groups() : 1);
  }

  /** Workers of a group. */
  private int ways() {
    return all.group().size() / count;
  }

  /** This worker within its group; all workers call it at the same point. */
  Worker within() {
    int ways = ways();
    int first = all.rank() / ways * ways;
    Group group = all.group().subgroup(IntStream.range(first, first + ways).toArray());
    int[] wayOf = new int[all.owners().vertices()];
    for (int v = 0; v < wayOf.length; v++) {
      wayOf[v] = all.owners().partOf(v) / count;
    }
    return new Worker(group, Partition.of(ways, wayOf), all.team(), all.memory(), all.timeline());
  }

  /** Whether this worker learns from a vertex, which it then owns within its group, too. */
  boolean learns(int vertex) {
    int part = all.owners().partOf(vertex);
    return part % count * ways() + part / count == all.rank();
  }

  /** Whether a worker of this group learns from a vertex. */
  boolean groupLearns(int vertex) {
    return all.owners().partOf(vertex) % count == all.rank() / ways();
  }
}
