package dev.heddle.kernel;

import java.lang.foreign.MemorySegment;

/**
 * The memory that attention works in, given by the caller so that it can be planned.
 *
 * <p>The state holds four values per destination and head: its score, the maximum and the
 * reciprocal sum of its softmax, and the mean gradient of its coefficients. They stand in one row,
 * because the way back reads them together. The scratch holds each task's part of the attention
 * vector's gradient. On the way back, arcs hold two values per head: the coefficient and the
 * gradient of the score, computed once, on the way in, for both ends.
 */
public final class AttentionBuffers {
  private static final int STATE_VALUES = 4;

  private final Heads heads;
  private final Matrix state;
  private final Matrix scratch;
  private final MemorySegment arcs;

  private AttentionBuffers(Heads heads, Matrix state, Matrix scratch, MemorySegment arcs) {
    this.heads = heads;
    this.state = state;
    this.scratch = scratch;
    this.arcs = arcs;
  }

  /**
   * Buffers of attention with these heads.
   *
   * @param state a row for every destination, {@link #stateColumns} wide; kept for the way back
   * @param scratch {@link ArcTasks#MAX_SEGMENTS} rows, {@link #scratchColumns} wide
   * @param arcs {@link #arcBytes}, of use on the way back only
   */
  public static AttentionBuffers over(
      Heads heads, Matrix state, Matrix scratch, MemorySegment arcs) {
    if (state.cols() != stateColumns(heads) || scratch.cols() != scratchColumns(heads)) {
      throw new IllegalArgumentException(
          "state and scratch must be %d and %d columns wide, not %d and %d"
              .formatted(stateColumns(heads), scratchColumns(heads), state.cols(), scratch.cols()));
    }
    return new AttentionBuffers(heads, state, scratch, arcs);
  }

  public static int stateColumns(Heads heads) {
    return STATE_VALUES * heads.stride();
  }

  public static int scratchColumns(Heads heads) {
    return heads.columns();
  }

  /** Bytes that the values of arcs take; a whole vector may be read at the end. */
  public static long arcBytes(Heads heads, long arcs) {
    return (2 * arcs * heads.count() + heads.stride()) * Float.BYTES;
  }

  Heads heads() {
    return heads;
  }

  Matrix state() {
    return state;
  }

  /** Values of arcs in the order of those into destinations. */
  MemorySegment arcs() {
    return arcs;
  }

  /** Where the values of an arc begin: coefficients of all heads, then gradients of all heads. */
  long arcOffset(long inArc) {
    return 2 * inArc * heads.count() * Float.BYTES;
  }

  /** A row of partial sums for every task. */
  Matrix partials() {
    return scratch;
  }

  // Byte offsets inside a row of the state.

  long score() {
    return 0;
  }

  long max() {
    return (long) heads.stride() * Float.BYTES;
  }

  long inverse() {
    return 2 * max();
  }

  long mean() {
    return 3 * max();
  }
}
