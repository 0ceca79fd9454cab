package dev.heddle.nn.program;

/**
 * The rows alive at one depth of a model: how many there can be, and how many there are now.
 *
 * <p>In full-graph training all depths share one of these; with mini-batches each depth has its own
 * and the count changes from batch to batch while buffers keep their capacity.
 */
public final class Rows {
  private final int capacity;
  private int count;

  public Rows(int capacity) {
    this.capacity = capacity;
    this.count = capacity;
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
