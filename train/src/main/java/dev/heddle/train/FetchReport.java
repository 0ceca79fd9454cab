package dev.heddle.train;

/**
 * How workers that trained in batches got what others have, all of them together.
 *
 * @param macrobatch batches that were loaded at once
 * @param fetchedRows rows of features that came from other workers
 * @param wantedRows rows that would have come if every batch had fetched its own
 * @param cachedRows rows of others that were in a cache
 * @param predictedBytes what one worker was to take for batches that are loaded, at most
 * @param loadedBytes what one took, at most
 */
public record FetchReport(
    int macrobatch,
    long fetchedRows,
    long wantedRows,
    long cachedRows,
    long predictedBytes,
    long loadedBytes) {
  /** Of those who fetch nothing from others. */
  static final FetchReport NOTHING = new FetchReport(1, 0, 0, 0, 0, 0);

  /** Rows that batches wanted for each row that came; 1 where there were none. */
  public double deduplication() {
    return fetchedRows == 0 ? 1 : (double) wantedRows / fetchedRows;
  }
}
