package dev.heddle.train.batch;

import dev.heddle.train.settings.Fetch;
import java.util.List;

/**
 * How workers that train in batches will get what others have: what was settled before the first
 * epoch, by the settings and by what there is room for.
 *
 * @param macrobatch batches that are loaded at once
 * @param predictedBytes what this worker takes for batches that are loaded, at most
 * @param topology who has which arcs; never {@link Fetch.Topology#AUTO}
 * @param warnings a line for each wish that could not be met
 */
public record FetchPlan(
    int macrobatch, long predictedBytes, Fetch.Topology topology, List<String> warnings) {
  /** Of those who get nothing from others. */
  public static final FetchPlan NOTHING =
      new FetchPlan(1, 0, Fetch.Topology.PARTITIONED, List.of());
}
