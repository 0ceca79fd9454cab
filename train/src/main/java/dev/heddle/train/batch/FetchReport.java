package dev.heddle.train.batch;

/**
 * How workers that trained in batches got what others have, all of them together.
 *
 * @param plan what was settled beforehand
 * @param loadedBytes what one worker took for batches that were loaded, at most
 */
public record FetchReport(FetchPlan plan, Rows rows, long loadedBytes) {
  /** Of those who fetch nothing from others. */
  public static final FetchReport NOTHING =
      new FetchReport(FetchPlan.NOTHING, new Rows(0, 0, 0, 0, 0), 0);

  /**
   * Rows of features.
   *
   * @param fetched that came from other workers
   * @param wanted that would have come if every batch had fetched its own
   * @param cached that were in a cache
   * @param kept that were fetched or read for caches, which is not counted elsewhere
   * @param read of the workers' own, once for all batches that were loaded together
   */
  public record Rows(long fetched, long wanted, long cached, long kept, long read) {}

  /** Rows that batches wanted for each row that came; 1 where there were none. */
  public double deduplication() {
    return rows.fetched == 0 ? 1 : (double) rows.wanted / rows.fetched;
  }
}
