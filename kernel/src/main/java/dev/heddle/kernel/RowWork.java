package dev.heddle.kernel;

/**
 * Work that can be done some rows at a time, so that what one has made is still in the cache when
 * the next reads it: see {@link RowChain}. Made once and run many times, it allocates nothing.
 */
public interface RowWork {
  /** Before any rows: what all threads do together. */
  default void begin(ThreadTeam team, int rows) {}

  /**
   * Rows {@code from} to {@code to} (exclusive). Those of one part come in order and by one thread.
   */
  void rows(int part, int from, int to);

  /** Whether each part makes a sum of its own: then there are few parts, else many. */
  default boolean sums() {
    return false;
  }

  /** After all rows: sums up what the parts have come to. */
  default void end(ThreadTeam team, int parts) {}
}
