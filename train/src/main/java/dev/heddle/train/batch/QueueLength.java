package dev.heddle.train.batch;

/**
 * How long queues between stages should be:
 *
 * <pre>
 * Q_mem  = ⌊memory that is left for rounds that wait / bytes of a round⌋
 * Q_rate = ⌈p95 of the slowest stage before / mean of computing⌉ + 1
 * Q      = clamp(min(Q_mem, Q_rate), 1, Q_max)
 * </pre>
 *
 * A queue grows only where the stage behind it starved, because otherwise it would hold memory for
 * nothing, and is shortened only where memory is short. The published system (MQ-GNN, arXiv
 * 2601.04707) does not say how it balances the two; this is Heddle's way.
 *
 * @param most Q_max
 */
record QueueLength(int most) {
  /** A stage that waits for less of its time than this does not starve. */
  private static final double STARVED = 0.01;

  /**
   * What was measured since lengths were decided last.
   *
   * @param produceP95 nanoseconds that 95 % of rounds need at most at the slowest stage before
   * @param consumeMean nanoseconds of a round where it is computed, waiting aside
   * @param starved the part of its time that computing waited for a round
   * @param roundBytes of memory for a round
   * @param roomBytes of memory for all rounds that wait
   */
  record Measured(
      long produceP95, long consumeMean, double starved, long roundBytes, long roomBytes) {
    private int byMemory() {
      return Math.clamp(roomBytes / Math.max(1, roundBytes), 1, Integer.MAX_VALUE);
    }

    private int byRate() {
      return Math.clamp(
          Math.ceilDiv(produceP95, Math.max(1, consumeMean)) + 1, 1, Integer.MAX_VALUE);
    }
  }

  /** The length from now on. */
  int next(int length, Measured measured) {
    int memory = measured.byMemory();
    if (length > memory) {
      return Math.min(most, memory);
    }
    int wanted = Math.clamp(Math.min(memory, measured.byRate()), 1, most);
    return measured.starved > STARVED ? Math.max(length, wanted) : length;
  }
}
