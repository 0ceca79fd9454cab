package dev.heddle.kernel;

/**
 * Inner loops of attention. Most work on a chunk of a row's arcs; below, w is the row and i an arc
 * of the chunk, which leads to row j.
 */
interface AttentionKernels {
  /** Rows {@code from} to {@code to} (exclusive) of {@code d.out()}. */
  void headDots(HeadDots d, int from, int to);

  /**
   * Scores: {@code leaky(s[w] + t[j])} per head, or projected on the attention vector, {@code a ·
   * leaky(s[w] + t[j])} with one value per column in s and t.
   */
  void scores(AttentionPass p, ArcChunk c);

  /**
   * Weights: {@code keep · exp(score − max)}, with maxima and sums of the row so far. When a
   * maximum grows, what the target row holds shrinks in proportion (online softmax, Milakov and
   * Gimelshein 2018).
   */
  void softmax(AttentionPass p, ArcChunk c);

  /** Sets the target row to zero. */
  void clear(AttentionPass p, int row);

  /** Makes the target row {@code Σ_i weight[i] · far[j]}, or adds that to it. */
  void weightedSum(AttentionPass p, ArcChunk c, boolean add);

  /** Keeps the row's maxima and the reciprocals of its sums, which take the sums' place. */
  void keepState(AttentionPass p, ArcChunk c);

  /** Multiplies the chunk's weights by the row's sums. */
  void scaleWeights(ArcChunk c);

  /** Multiplies the target row by the row's sums. */
  void scaleTarget(AttentionPass p, ArcChunk c);

  /** Products {@code near[w] · far[j]} per head. */
  void dots(AttentionPass p, ArcChunk c);

  /**
   * From scores and products to the gradients of the scores, {@code alpha · (keep · dot − mean)},
   * and to the weights {@code keep · alpha}; and adds the gradients up in the row's sums. Without
   * projection they are gradients before the leaky rectifier.
   */
  void gradients(AttentionPass p, ArcChunk c);

  /** Leaves the weights and gradients of the chunk's arcs to the way out. */
  void leave(AttentionPass p, ArcChunk c);

  /**
   * Takes up the weights and gradients that the way in left for the chunk's arcs, and adds the
   * gradients up in the row's sums.
   */
  void recall(AttentionPass p, ArcChunk c);

  /** Adds {@code Σ_i gradient[i] · leaky'(s[w] + t[j])} per column to the row's slopes. */
  void slopeSum(AttentionPass p, ArcChunk c);

  /**
   * Makes the target row {@code a ⊙ slopes}, or adds that to it, and adds {@code base[w] ⊙ slopes}
   * to the task's partial gradient of a.
   */
  void project(AttentionPass p, ArcChunk c, int task, boolean add);
}
