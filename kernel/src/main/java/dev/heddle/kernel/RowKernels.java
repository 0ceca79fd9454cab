package dev.heddle.kernel;

/** Inner loops that treat each row by itself; rows {@code from} to {@code to} (exclusive). */
interface RowKernels {
  /** {@code out = dropout(activation(x + bias))}, and the bits that backward needs. */
  void epilogue(Epilogue e, int from, int to);

  /** The gradient of {@link #epilogue}'s input. */
  void epilogueBackward(Epilogue e, int from, int to);

  /** Normalised rows scaled and shifted, and the statistics that backward needs. */
  void layerNorm(LayerNorm n, int from, int to);

  /** The gradient of {@link #layerNorm}'s input. */
  void layerNormBackward(LayerNorm n, int from, int to);

  /** Adds {@code Σ g · x̂} per column to a row of {@code out}. */
  void layerNormGamma(LayerNorm n, int from, int to, Matrix out, int outRow);

  /** {@code out = a·x + b·y + c·out}. */
  void combine(Combine c, int from, int to);

  /** {@code target[ids[row]] += factor · source[row]}. */
  void scatter(RowScatter s, int from, int to);

  /** {@code out = α·x + β·y + γ} with a factor per column. */
  void affine(ColumnAffine c, int from, int to);

  /**
   * {@code −log softmax(scores[row])[label]}, and its gradient times {@code scale}: {@code
   * softmax(scores[row])}, less one at the label.
   */
  double softmaxCrossEntropy(Matrix scores, int row, int label, float scale, Matrix grad);

  /** Rounds rows to bfloat16. */
  void narrow(Matrix x, HalfMatrix out, int from, int to);

  /** Copies a row of bfloat16 to one of float32. */
  void widen(HalfMatrix x, int row, Matrix out, int outRow);
}
