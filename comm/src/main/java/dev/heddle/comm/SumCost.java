package dev.heddle.comm;

/**
 * What one worker sends to sum a vector over all workers, and the memory that it takes for that:
 * known before anything of it is made.
 *
 * @param sent in every sum
 * @param memory for others' shares, kept from sum to sum
 */
public record SumCost(Sent.Amount sent, long memory) {
  static final SumCost NONE = new SumCost(Sent.Amount.NONE, 0);

  /** Of floats, as gradients are. */
  public static SumCost ofFloats(long count, int workers, int rank) {
    return AllReduce.cost(SumType.FLOATS, count, workers, rank);
  }

  /** Of floats that travel as bfloat16. */
  public static SumCost ofHalves(long count, int workers, int rank) {
    return AllReduce.cost(SumType.HALVES, count, workers, rank);
  }

  /** Of doubles or longs, as metrics and agreements are. */
  public static SumCost ofWords(long count, int workers, int rank) {
    return AllReduce.cost(SumType.DOUBLES, count, workers, rank);
  }
}
