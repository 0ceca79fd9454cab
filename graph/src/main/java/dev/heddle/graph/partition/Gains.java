package dev.heddle.graph.partition;

/** What it would gain to move a vertex, and whereto: the weight of edges that cease to be cut. */
final class Gains {
  /** No part can take the vertex. */
  static final int NOWHERE = -1;

  private final Assignment parts;
  private final LevelGraph graph;

  /** Weight of the vertex's edges to each part; all 0 between two looks. */
  private final int[] ties;

  /** Parts around the vertex, in the order in which they came, and a place to write in vain. */
  private final int[] around;

  private int target;
  private int gain;
  private int inside;
  private int outside;
  private boolean barred;

  Gains(Assignment parts) {
    this.parts = parts;
    this.graph = parts.graph;
    this.ties = new int[parts.parts];
    this.around = new int[parts.parts + 1];
  }

  /**
   * Looks for the best move of a vertex into a neighbouring part with room; of equal ones that into
   * the emptier part. The answer is in {@link #target} and {@link #gain}.
   */
  void look(int v) {
    int count = rate(v);
    int own = parts.part[v];
    inside = ties[own];
    target = NOWHERE;
    int best = Integer.MIN_VALUE;
    int wanted = Integer.MIN_VALUE;
    outside = 0;
    for (int i = 0; i < count; i++) {
      int to = around[i];
      int sum = ties[to];
      ties[to] = 0;
      if (to == own) {
        continue;
      }
      outside += sum;
      if (sum < best) {
        continue;
      }
      if (!parts.fits(v, to)) {
        wanted = Math.max(wanted, sum);
        continue;
      }
      if (sum > best
          || parts.loads[to * graph.constraints] < parts.loads[target * graph.constraints]) {
        best = sum;
        target = to;
      }
    }
    gain = best - inside;
    barred = wanted > best;
  }

  private int rate(int v) {
    int[] ids = graph.ids;
    int[] part = parts.part;
    int count = 0;
    int end = graph.offsets[v + 1];
    for (int arc = graph.offsets[v]; arc < end; arc++) {
      int p = part[ids[arc]];
      int sum = ties[p];
      ties[p] = sum + graph.weight(arc);
      // Whether a part is new cannot be foreseen: a number that is counted or not, and no branch.
      around[count] = p;
      count += sum == 0 ? 1 : 0;
    }
    return count;
  }

  /** Weight of the edges of the vertex last looked at to its own part. */
  int inside() {
    return inside;
  }

  /** Weight of the edges of the vertex last looked at to other parts than its own. */
  int outside() {
    return outside;
  }

  /** Whether a part that is full would have been better than the target. */
  boolean barred() {
    return barred;
  }

  /** The part to move to, or {@link #NOWHERE}. */
  int target() {
    return target;
  }

  /** What the move gains; without a target it says nothing. */
  int gain() {
    return gain;
  }
}
