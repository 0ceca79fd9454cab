package dev.heddle.train.plan;

import dev.heddle.graph.partition.PartCounts;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How many rows and arcs a layer has at one worker, and how many rows go where: the numbers of what
 * {@link dev.heddle.train.halo.HaloLayout} will be.
 *
 * @param own this worker's part
 * @param sent rows to each worker, sums for it among them
 * @param received rows from each worker
 * @param sums that are made for others
 * @param sumArcs arcs that are in them
 */
@SuppressWarnings("ArrayRecordComponent") // A number per worker, read.
record PartLayout(PartCounts own, int[] sent, int[] received, int sums, long sumArcs) {
  static PartLayout of(List<PartCounts> parts, int rank) {
    PartCounts own = parts.get(rank);
    return new PartLayout(
        own,
        parts.stream().mapToInt(part -> part.asked()[rank]).toArray(),
        own.asked(),
        parts.stream().mapToInt(part -> part.sums()[rank]).sum(),
        parts.stream().mapToLong(part -> part.sumArcs()[rank]).sum());
  }

  boolean alone() {
    return sent.length == 1;
  }

  /** Own rows, those that come, and sums for others. */
  int sources() {
    return own.vertices() + own.askedRows() + sums;
  }

  /** Arcs between rows of the part, each vertex with one loop where the model wants it so. */
  long arcs(boolean loops) {
    return loops ? own.arcs() - own.loops() + own.vertices() : own.arcs();
  }

  /** Arcs that stand for several, because a sum comes, and those for which they stand. */
  private long standing() {
    return IntStream.of(own.sums()).asLongStream().sum();
  }

  /** Arcs into own rows from rows of the layout. */
  long arcsOfLayout(boolean loops) {
    return arcs(loops) - IntStream.of(own.sumArcs()).asLongStream().sum() + standing();
  }

  /** Whether arcs are written anew, because their sources lie elsewhere than in the part. */
  boolean rewritesArcs() {
    return sums > 0 || standing() > 0;
  }

  /** The longest list of rows from or to one worker. */
  int mostRows() {
    return IntStream.concat(IntStream.of(sent), IntStream.of(received)).max().orElse(0);
  }
}
