package dev.heddle.train.loop;

import java.util.List;
import java.util.stream.LongStream;

/**
 * How far apart workers were.
 *
 * @param staleness how many steps of all workers read parameters that lacked 0, 1, 2 … updates of
 *     those before them
 */
public record SyncReport(List<Long> staleness, ConsistencyReport consistency) {
  /** Of those who have not trained. */
  public static final SyncReport NOTHING = new SyncReport(List.of(), ConsistencyReport.NONE);

  public SyncReport {
    staleness = List.copyOf(staleness);
  }

  SyncReport(long[] staleness, ConsistencyReport consistency) {
    this(LongStream.of(staleness).boxed().toList(), consistency);
  }
}
