package dev.heddle.kernel;

import org.jspecify.annotations.Nullable;

/**
 * Which attention coefficients are dropped. A draw is keyed by the arc's two ends and the head, so
 * that both directions of the arcs see the same draws, and parallel arcs share theirs.
 */
final class AttentionDropout {
  private long key;
  private int threshold;
  private float scale = 1;
  private boolean active;
  private @Nullable RowIds ids;

  /** From now on drops at this rate, with these draws; a rate of 0 drops nothing. */
  void set(float rate, long newKey) {
    if (!(rate >= 0 && rate < 1)) {
      throw new IllegalArgumentException("a dropout rate lies in [0, 1), not at " + rate);
    }
    key = newKey;
    threshold = Draws.dropThreshold(rate);
    scale = 1 / (1 - rate);
    active = rate > 0;
  }

  /** Draws by these ids of sources, and of the destinations that are the first of them. */
  void rowIds(@Nullable RowIds rowIds) {
    ids = rowIds;
  }

  boolean active() {
    return active;
  }

  /** What a kept coefficient is multiplied by, so that means stay: 1 / (1 − rate). */
  float scale() {
    return scale;
  }

  /** A head is dropped when its draw {@link Draws#column} is below this, unsigned. */
  int threshold() {
    return threshold;
  }

  /** The part of an arc's draw that all arcs into a destination share. */
  long ofDestination(int destination) {
    return Draws.at(key, ids == null ? destination : ids.at(destination));
  }

  /** The bits of an arc from which the heads' draws are made. */
  int ofArc(long ofDestination, int source) {
    return (int) Draws.at(ofDestination, ids == null ? source : ids.at(source));
  }

  /** What multiplies the coefficient of one head of an arc: 0 or {@link #scale}. */
  float factor(int ofArc, int head) {
    return Integer.compareUnsigned(Draws.column(ofArc, head), threshold) >= 0 ? scale : 0;
  }
}
