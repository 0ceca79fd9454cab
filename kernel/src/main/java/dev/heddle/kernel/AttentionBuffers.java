package dev.heddle.kernel;

/**
 * The memory that attention works in, given by the caller so that it can be planned.
 *
 * <p>The <em>state</em> holds four values per destination and head: its score, the maximum and the
 * reciprocal sum of its softmax, and the mean gradient of its coefficients. They stand in one row,
 * because the way back gathers them together. The <em>scratch</em> has one row per task; a task
 * takes the arcs of a row in chunks, and the scratch is what it knows about the arcs of a chunk.
 */
public final class AttentionBuffers {
  /** Arcs taken together: their rows stay in the first cache while they are walked again. */
  static final int CHUNK = 32;

  private static final int STATE_VALUES = 4;

  private final Heads heads;
  private final Matrix state;
  private final Matrix scratch;

  private AttentionBuffers(Heads heads, Matrix state, Matrix scratch) {
    this.heads = heads;
    this.state = state;
    this.scratch = scratch;
  }

  /**
   * Buffers of attention with these heads.
   *
   * @param state a row for every destination, {@link #stateColumns} wide; kept for the way back
   * @param scratch {@link ArcTasks#MAX_SEGMENTS} rows, {@link #scratchColumns} wide
   */
  public static AttentionBuffers over(Heads heads, Matrix state, Matrix scratch) {
    if (state.cols() != stateColumns(heads) || scratch.cols() != scratchColumns(heads)) {
      throw new IllegalArgumentException(
          "state and scratch must be %d and %d columns wide, not %d and %d"
              .formatted(stateColumns(heads), scratchColumns(heads), state.cols(), scratch.cols()));
    }
    return new AttentionBuffers(heads, state, scratch);
  }

  public static int stateColumns(Heads heads) {
    return STATE_VALUES * heads.stride();
  }

  public static int scratchColumns(Heads heads) {
    return CHUNK * (3 * heads.stride() + spreadStride(heads))
        + heads.stride()
        + 2 * Matrix.strideOf(heads.columns());
  }

  Heads heads() {
    return heads;
  }

  Matrix state() {
    return state;
  }

  Matrix scratch() {
    return scratch;
  }

  // Byte offsets inside a row of the state.

  long score() {
    return 0;
  }

  long max() {
    return headBytes();
  }

  /** The sum while a row's arcs are walked, its reciprocal afterwards. */
  long inverse() {
    return 2 * headBytes();
  }

  long mean() {
    return 3 * headBytes();
  }

  // Byte offsets inside a row of the scratch.

  /** Per arc and head, {@link #headBytes} an arc: scores, then their gradients. */
  long scores() {
    return 0;
  }

  /** Per arc and head: products of the rows at the arc's two ends. */
  long dots() {
    return CHUNK * headBytes();
  }

  /** Per arc and head: what the gathered row is multiplied by. */
  long weights() {
    return 2 * CHUNK * headBytes();
  }

  /** Per arc, {@link #spreadBytes} an arc: the values of its heads, repeated for every vector. */
  long spread() {
    return 3 * CHUNK * headBytes();
  }

  /** Per head: sums over the arcs of a row. */
  long sums() {
    return spread() + CHUNK * spreadBytes();
  }

  /** Per column: what the row's attention vector is multiplied by in its gradient. */
  long slopes() {
    return sums() + headBytes();
  }

  /** Per column: the task's part of the attention vector's gradient. */
  long partial() {
    return slopes() + (long) Matrix.strideOf(heads.columns()) * Float.BYTES;
  }

  /** Bytes of one value per head. */
  long headBytes() {
    return (long) heads.stride() * Float.BYTES;
  }

  /** Bytes of one value per vector of a row. */
  long spreadBytes() {
    return (long) spreadStride(heads) * Float.BYTES;
  }

  /** Enough for the shortest vectors, of four floats. */
  private static int spreadStride(Heads heads) {
    return Matrix.strideOf((heads.columns() + 3) / 4);
  }
}
