package dev.heddle.train.batch;

/** Gets the listed rows of features that are spread over all workers. */
sealed interface FeatureFetch extends AutoCloseable permits DenseFetch, SparseFetch {
  /** Fetches the rows that are listed now, in the place of what a macrobatch has. */
  void fetch(Macrobatch into);

  /** Bytes of memory for fetching. */
  long bytes();

  @Override
  void close();
}
