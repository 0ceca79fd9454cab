package dev.heddle.kernel;

import java.util.Arrays;

/**
 * How a loop over the arcs of a {@link Csr} is cut into tasks of about equal cost.
 *
 * <p>Ordinary rows are grouped into ranges. A hub, a row that alone would hold up a loop, is cut
 * into segments of arcs whose partial results the caller combines in order. The cut depends on the
 * arcs alone, never on the number of threads, so that sums keep their order.
 */
public final class ArcTasks {
  /** Tasks aimed at: enough to balance many threads, few enough to cost nothing. */
  private static final int TASKS = 512;

  /** No cut has more segments than this, whatever the graph. */
  public static final int MAX_SEGMENTS = TASKS + TASKS / 4 + 1;

  /** Each hub takes more than this share of all arcs, so that there are no more of them. */
  static final int MAX_HUBS = TASKS / 4;

  private static final int MIN_COST = 4096;

  /** Writing a row costs about as much as reading this many. */
  private static final int ROW_COST = 2;

  private final int[] firstRow;
  private final int[] endRow;
  private final int[] hubs;
  private final int[] firstSegment;
  private final long segmentArcs;

  private ArcTasks(int[][] ranges, int[] hubs, int[] firstSegment, long segmentArcs) {
    this.firstRow = ranges[0];
    this.endRow = ranges[1];
    this.hubs = hubs;
    this.firstSegment = firstSegment;
    this.segmentArcs = segmentArcs;
  }

  /** Cuts with hubs split into segments. */
  public static ArcTasks of(Csr csr) {
    long cost = csr.arcs() + (long) ROW_COST * csr.rows();
    long target = Math.max(MIN_COST, cost / TASKS);
    return cut(csr, target, 4 * target);
  }

  /** Cuts between rows only, for kernels that need a row's arcs together. */
  public static ArcTasks wholeRows(Csr csr) {
    long cost = csr.arcs() + (long) ROW_COST * csr.rows();
    return cut(csr, Math.max(MIN_COST, cost / TASKS), Long.MAX_VALUE);
  }

  private static ArcTasks cut(Csr csr, long target, long hubDegree) {
    int[] first = new int[16];
    int[] end = new int[16];
    int[] hubs = new int[4];
    int ranges = 0;
    int hubCount = 0;
    int start = 0;
    long cost = 0;
    for (int row = 0; row < csr.rows(); row++) {
      long degree = csr.degree(row);
      boolean hub = degree > hubDegree;
      if (hub || cost >= target) {
        if (row > start) {
          first = put(first, ranges, start);
          end = put(end, ranges, row);
          ranges++;
        }
        start = row;
        cost = 0;
      }
      if (hub) {
        hubs = put(hubs, hubCount++, row);
        start = row + 1;
      } else {
        cost += degree + ROW_COST;
      }
    }
    if (start < csr.rows()) {
      first = put(first, ranges, start);
      end = put(end, ranges, csr.rows());
      ranges++;
    }
    int[] firstSegment = new int[hubCount + 1];
    for (int h = 0; h < hubCount; h++) {
      long segments = (csr.degree(hubs[h]) + target - 1) / target;
      firstSegment[h + 1] = Math.addExact(firstSegment[h], Math.toIntExact(segments));
    }
    return new ArcTasks(
        new int[][] {Arrays.copyOf(first, ranges), Arrays.copyOf(end, ranges)},
        Arrays.copyOf(hubs, hubCount),
        firstSegment,
        target);
  }

  private static int[] put(int[] array, int index, int value) {
    int[] grown = index < array.length ? array : Arrays.copyOf(array, 2 * array.length);
    grown[index] = value;
    return grown;
  }

  /** Ranges of ordinary rows. */
  public int ranges() {
    return firstRow.length;
  }

  public int firstRow(int range) {
    return firstRow[range];
  }

  /** The row after the range's last. */
  public int endRow(int range) {
    return endRow[range];
  }

  public int hubs() {
    return hubs.length;
  }

  public int hub(int index) {
    return hubs[index];
  }

  /** The first hub that is not above a row; {@link #hubs} where there is none. */
  int firstHubFrom(int row) {
    int at = Arrays.binarySearch(hubs, row);
    return at >= 0 ? at : -at - 1;
  }

  /** Segments of all hubs, numbered through. */
  public int segments() {
    return firstSegment[hubs.length];
  }

  /** First segment of a hub; {@code firstSegment(hubs())} is the number of segments. */
  public int firstSegment(int hub) {
    return firstSegment[hub];
  }

  /** Which hub a segment belongs to. */
  public int hubOf(int segment) {
    int at = Arrays.binarySearch(firstSegment, segment);
    return at >= 0 ? at : -at - 2;
  }

  /** Arcs in every segment but a hub's last. */
  public long segmentArcs() {
    return segmentArcs;
  }
}
