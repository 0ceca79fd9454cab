package dev.heddle.train.layers;

import dev.heddle.comm.Group;
import dev.heddle.train.settings.LayerSplit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Where a worker stands: workers are numbered stage by stage, and in a stage by way. Those of a
 * stage have the same layers and share the graph; those of a way have the same vertices, and hand
 * them on from stage to stage.
 *
 * @param ofStage the workers of this one's stage, ranked by way
 * @param before the worker of the stage before, then this one; none at the first
 * @param after this worker, then that of the stage after; none at the last
 */
public record Place(
    int stage, int stages, int way, Group ofStage, @Nullable Group before, @Nullable Group after) {
  /** The place of a worker; all workers make theirs at the same point. */
  static Place of(Group group, LayerSplit split) {
    if (group.size() != split.workers()) {
      throw new IllegalArgumentException(
          split.stages()
              + " stages of "
              + split.ways()
              + " workers are "
              + split.workers()
              + " workers, not "
              + group.size());
    }
    int ways = split.ways();
    int rank = group.rank();
    int stage = rank / ways;
    if (group.size() == 1) {
      return new Place(0, 1, 0, group, null, null);
    }
    int[] colleagues = IntStream.range(stage * ways, (stage + 1) * ways).toArray();
    Group ofStage = ways == 1 ? Group.alone() : group.subgroup(colleagues);
    // Everyone makes a pair whose lower stage is even, then one whose lower stage is odd.
    Group lowerEven = pair(group, split, stage % 2 == 0);
    Group lowerOdd = pair(group, split, stage % 2 != 0);
    return new Place(
        stage,
        split.stages(),
        rank % ways,
        ofStage,
        stage == 0 ? null : stage % 2 == 0 ? lowerOdd : lowerEven,
        stage == split.stages() - 1 ? null : stage % 2 == 0 ? lowerEven : lowerOdd);
  }

  /** This worker with the next stage's of its way, or the one before's; alone at the ends. */
  private static Group pair(Group group, LayerSplit split, boolean isLower) {
    int rank = group.rank();
    int other = isLower ? rank + split.ways() : rank - split.ways();
    if (other < 0 || other >= group.size()) {
      return group.subgroup(rank);
    }
    return group.subgroup(Math.min(rank, other), Math.max(rank, other));
  }

  /** Whether its stage has the features. */
  public boolean isFirst() {
    return stage == 0;
  }

  /** Whether its stage has the outputs. */
  public boolean isLast() {
    return stage == stages - 1;
  }
}
