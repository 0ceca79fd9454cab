package dev.heddle.kernel;

/** Inner loops of aggregation by maximum over rows {@code from} to {@code to} (exclusive). */
interface MaxKernels {
  /** Maxima and winners of destinations. */
  void max(MaxGather g, int from, int to);

  /**
   * Gradients of sources: the sum over the destinations they won. A destination counts once,
   * however many parallel arcs lead to it.
   */
  void gradient(MaxGather g, int from, int to);
}
