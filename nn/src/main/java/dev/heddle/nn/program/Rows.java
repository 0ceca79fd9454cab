package dev.heddle.nn.program;

import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.RowTotals;
import org.jspecify.annotations.Nullable;

/**
 * The rows alive at one depth of a model: how many there can be, and how many there are now.
 *
 * <p>In full-graph training all depths share one of these; with mini-batches each depth has its own
 * and the count changes from batch to batch while buffers keep their capacity.
 */
public final class Rows {
  private final int capacity;
  private final @Nullable RowIds ids;
  private RowTotals totals = RowTotals.ALONE;
  private int count;

  /** Rows whose draws are keyed by their indices. */
  public Rows(int capacity) {
    this(capacity, null);
  }

  /** Rows whose draws are keyed by ids that all workers agree on. */
  public Rows(int capacity, @Nullable RowIds ids) {
    this.capacity = capacity;
    this.ids = ids;
    this.count = capacity;
  }

  /** Says that other workers have rows of this depth too, over which some sums go. */
  public Rows shared(RowTotals all) {
    totals = all;
    return this;
  }

  RowTotals totals() {
    return totals;
  }

  @Nullable RowIds ids() {
    return ids;
  }

  public int capacity() {
    return capacity;
  }

  public int count() {
    return count;
  }

  /** Says how many rows the next step has. */
  public void resize(int rows) {
    if (rows < 0 || rows > capacity) {
      throw new IllegalArgumentException(rows + " rows do not fit a capacity of " + capacity);
    }
    count = rows;
  }
}
