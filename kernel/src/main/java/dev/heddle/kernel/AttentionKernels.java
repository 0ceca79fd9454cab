package dev.heddle.kernel;

/**
 * Inner loops of attention.
 *
 * <p>Most work on a chunk of a row's arcs: {@code n} of them from arc {@code first} on, with the
 * task's scratch at byte offset {@code at}. Below, w is the row and i an arc of the chunk that
 * leads to row j; the offsets named are those of {@link AttentionBuffers}. What a chunk adds to a
 * row replaces what the row held when the chunk is the row's first.
 */
interface AttentionKernels {
  /** Rows {@code from} to {@code to} (exclusive) of {@code d.out()}. */
  void headDots(HeadDots d, int from, int to);

  /**
   * Scores: {@code leaky(s[w] + t[j])} per head, or projected on the attention vector, {@code a ·
   * leaky(s[w] + t[j])} with one value per column in s and t.
   */
  void scores(AttentionPass p, int row, long first, int n, long at);

  /**
   * Weights: {@code exp(score − max)}, some dropped, with the maximum and the sum so far in the
   * row's state. When the maximum grows, what the target row holds shrinks in proportion (online
   * softmax, Milakov and Gimelshein 2018).
   */
  void softmax(AttentionPass p, int row, long first, int n, long at);

  /** Adds {@code Σ_i weight[i] · far[j]} to the target row. */
  void weightedSum(AttentionPass p, int row, long first, int n, long at);

  /** Divides the target row by the softmax's sum and keeps the reciprocal. */
  void normalise(AttentionPass p, int row);

  /** Products {@code near[w] · far[j]} per head. */
  void dots(AttentionPass p, int row, long first, int n, long at);

  /**
   * From scores and products to the gradients of the scores, {@code alpha · (keep · dot − mean)},
   * and to the weights {@code keep · alpha}; and adds the gradients up in the row's sums. Without
   * projection they are gradients before the leaky rectifier.
   */
  void gradients(AttentionPass p, int row, long first, int n, long at);

  /** Adds {@code Σ_i gradient[i] · leaky'(s[w] + t[j])} per column to the row's slopes. */
  void slopeSum(AttentionPass p, int row, long first, int n, long at);

  /** The slopes without projection: every column's is the sum of its head. */
  void spreadSums(AttentionPass p, long at);

  /**
   * Adds {@code a ⊙ slopes} to the target row, or writes it unless {@code add}; and adds {@code
   * base[w] ⊙ slopes} to the task's partial gradient of a.
   */
  void project(AttentionPass p, int row, long at, boolean add);
}
