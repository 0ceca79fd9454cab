package dev.heddle.train.batch;

import dev.heddle.comm.Group;
import dev.heddle.graph.sample.NeededRows;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.train.pipeline.Lane;

/** Gets the listed rows of features that are spread over all workers. */
sealed interface FeatureFetch extends AutoCloseable permits DenseFetch, SparseFetch {
  /**
   * Fetching for all workers of a group, who make theirs at the same point.
   *
   * @param features that this worker has
   * @param mostBytes of a message
   * @param lane of the thread that fetches
   */
  static FeatureFetch of(
      OwnFeatures features,
      Group group,
      NeededRows rows,
      ThreadTeam team,
      Memory memory,
      long mostBytes,
      Lane lane) {
    return switch (features) {
      case OwnFeatures.Dense dense ->
          new DenseFetch(group, rows, dense, team, memory, mostBytes, lane);
      case OwnFeatures.Sparse(Csr own) ->
          new SparseFetch(group, rows, own, memory, mostBytes, lane);
    };
  }

  /** Fetches the rows that are listed now, in the place of what a macrobatch has. */
  void fetch(Macrobatch into);

  /** From now on, rows that are in a cache are taken from this. */
  void cache(Macrobatch rowsKept);

  /** Bytes of memory for fetching. */
  long bytes();

  @Override
  void close();
}
