package dev.heddle.graph.partition;

/** What it would gain to move a vertex, and whereto: the weight of edges that cease to be cut. */
final class Gains {
  /** No part can take the vertex. */
  static final int NOWHERE = -1;

  private final Assignment parts;
  private final LevelGraph graph;
  private final Ratings ties;
  private int target;
  private int gain;
  private int outside;

  Gains(Assignment parts) {
    this.parts = parts;
    this.graph = parts.graph;
    this.ties = new Ratings(parts.parts);
  }

  /**
   * Looks for the best move of a vertex into a neighbouring part with room; of equal ones that into
   * the emptier part. The answer is in {@link #target} and {@link #gain}.
   */
  void look(int v) {
    rate(v);
    int own = parts.part[v];
    int inside = ties.sumOf(own);
    int count = ties.count();
    target = NOWHERE;
    int best = Integer.MIN_VALUE;
    outside = 0;
    for (int i = 0; i < count; i++) {
      int to = ties.key(i);
      int sum = ties.sum(i);
      if (to == own) {
        continue;
      }
      outside += sum;
      if (sum < best || !parts.fits(v, to)) {
        continue;
      }
      if (sum > best
          || parts.loads[to * graph.constraints] < parts.loads[target * graph.constraints]) {
        best = sum;
        target = to;
      }
    }
    gain = best - inside;
  }

  private void rate(int v) {
    int[] ids = graph.ids;
    int[] part = parts.part;
    int begin = graph.offsets[v];
    int end = graph.offsets[v + 1];
    ties.begin(Math.min(end - begin, parts.parts));
    for (int arc = begin; arc < end; arc++) {
      ties.add(part[ids[arc]], graph.weight(arc));
    }
  }

  /** Weight of the edges of the vertex last looked at to a part. */
  int tieTo(int to) {
    return ties.sumOf(to);
  }

  /** Weight of the edges of the vertex last looked at to other parts than its own. */
  int outside() {
    return outside;
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
