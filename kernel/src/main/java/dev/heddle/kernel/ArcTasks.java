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

  private final boolean splitsHubs;
  private int[] firstRow = new int[16];
  private int[] endRow = new int[16];
  private int[] hubs = new int[4];
  private int[] firstSegment = new int[5];
  private int ranges;
  private int hubCount;
  private long segmentArcs;

  private ArcTasks(boolean splitsHubs) {
    this.splitsHubs = splitsHubs;
  }

  /** Cuts with hubs split into segments. */
  public static ArcTasks of(Csr csr) {
    ArcTasks tasks = new ArcTasks(true);
    tasks.cut(csr);
    return tasks;
  }

  /** Cuts between rows only, for kernels that need a row's arcs together. */
  public static ArcTasks wholeRows(Csr csr) {
    ArcTasks tasks = new ArcTasks(false);
    tasks.cut(csr);
    return tasks;
  }

  /** Cuts anew, in the memory of the cut before. */
  void cut(Csr csr) {
    long cost = csr.arcs() + (long) ROW_COST * csr.rows();
    segmentArcs = Math.max(MIN_COST, cost / TASKS);
    long hubDegree = splitsHubs ? 4 * segmentArcs : Long.MAX_VALUE;
    ranges = 0;
    hubCount = 0;
    int start = 0;
    cost = 0;
    for (int row = 0; row < csr.rows(); row++) {
      long degree = csr.degree(row);
      boolean hub = degree > hubDegree;
      if (hub || cost >= segmentArcs) {
        addRange(start, row);
        start = row;
        cost = 0;
      }
      if (hub) {
        addHub(row, degree);
        start = row + 1;
      } else {
        cost += degree + ROW_COST;
      }
    }
    addRange(start, csr.rows());
  }

  private void addRange(int from, int to) {
    if (from < to) {
      firstRow = put(firstRow, ranges, from);
      endRow = put(endRow, ranges, to);
      ranges++;
    }
  }

  private void addHub(int row, long degree) {
    hubs = put(hubs, hubCount, row);
    int segments = Math.toIntExact((degree + segmentArcs - 1) / segmentArcs);
    int next = Math.addExact(firstSegment[hubCount], segments);
    firstSegment = put(firstSegment, ++hubCount, next);
  }

  private static int[] put(int[] array, int index, int value) {
    int[] grown = index < array.length ? array : Arrays.copyOf(array, 2 * array.length);
    grown[index] = value;
    return grown;
  }

  /** Ranges of ordinary rows. */
  public int ranges() {
    return ranges;
  }

  public int firstRow(int range) {
    return firstRow[range];
  }

  /** The row after the range's last. */
  public int endRow(int range) {
    return endRow[range];
  }

  public int hubs() {
    return hubCount;
  }

  public int hub(int index) {
    return hubs[index];
  }

  /** The first hub that is not above a row; {@link #hubs} where there is none. */
  int firstHubFrom(int row) {
    int at = Arrays.binarySearch(hubs, 0, hubCount, row);
    return at >= 0 ? at : -at - 1;
  }

  /** Segments of all hubs, numbered through. */
  public int segments() {
    return firstSegment[hubCount];
  }

  /** First segment of a hub; {@code firstSegment(hubs())} is the number of segments. */
  public int firstSegment(int hub) {
    return firstSegment[hub];
  }

  /** Which hub a segment belongs to. */
  public int hubOf(int segment) {
    int at = Arrays.binarySearch(firstSegment, 0, hubCount + 1, segment);
    return at >= 0 ? at : -at - 2;
  }

  /** Arcs in every segment but a hub's last. */
  public long segmentArcs() {
    return segmentArcs;
  }
}
