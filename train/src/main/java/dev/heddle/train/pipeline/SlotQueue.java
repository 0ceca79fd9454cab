package dev.heddle.train.pipeline;

import org.jspecify.annotations.Nullable;

/**
 * Slots between two stages, first in, first out. How many there may be can change at any time: no
 * slot is lost or overtaken; those who put wait until there are fewer than that.
 *
 * @param <S> what stages work on
 */
public final class SlotQueue<S> {
  private final Flow flow;
  private final @Nullable Slot<S>[] ring;

  // Guarded by the flow.
  private int capacity;
  private int first;
  private int size;
  private int highWater;
  private int reserve;

  /**
   * An empty queue.
   *
   * @param flow the lock, with all who wait
   * @param slots all that there are in the pipeline
   */
  @SuppressWarnings({"unchecked", "rawtypes"})
  SlotQueue(Flow flow, int slots, int capacity) {
    this.flow = flow;
    ring = new Slot[slots];
    this.capacity = checked(capacity);
  }

  private static int checked(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("a queue has room for a slot at least, not " + capacity);
    }
    return capacity;
  }

  /** Has another capacity from now on; what is in it stays, also where that is more. */
  public void capacity(int slots) {
    synchronized (flow) {
      capacity = checked(slots);
      flow.notifyAll();
    }
  }

  /** How many slots there may be. */
  public int capacity() {
    synchronized (flow) {
      return capacity;
    }
  }

  /** How many slots there are. */
  public int size() {
    synchronized (flow) {
      return size;
    }
  }

  /** The most slots that there were at a time so far. */
  public int highWater() {
    synchronized (flow) {
      return highWater;
    }
  }

  /** Whether a slot must wait; the caller has the lock. */
  boolean isFull() {
    return size >= capacity;
  }

  /** Keeps so many slots back from now on, as soon as they are here; the caller has the lock. */
  void reserve(int slots) {
    reserve = slots;
    flow.notifyAll();
  }

  /** How many of the slots that are kept back are here; the caller has the lock. */
  int reserved() {
    return Math.min(size, reserve);
  }

  /** One of the slots that are kept back and here, the longest first; the caller has the lock. */
  Slot<S> reserved(int number) {
    return at((first + number) % ring.length);
  }

  /** Whether there is nothing to take; the caller has the lock. */
  boolean isEmpty() {
    return size <= reserve;
  }

  /** Adds a slot, for which there is room; the caller has the lock. */
  void add(Slot<S> slot) {
    ring[(first + size) % ring.length] = slot;
    size++;
    highWater = Math.max(highWater, size);
    flow.notifyAll();
  }

  /** The first slot, which there is; the caller has the lock. */
  Slot<S> poll() {
    Slot<S> slot = at(first);
    ring[first] = null;
    first = (first + 1) % ring.length;
    size--;
    flow.notifyAll();
    return slot;
  }

  /**
   * The slot that was added last, of which there is one: where order does not matter, few slots are
   * then used again and again, and the others touch no memory. The caller has the lock.
   */
  Slot<S> pollLast() {
    int last = (first + size - 1) % ring.length;
    Slot<S> slot = at(last);
    ring[last] = null;
    size--;
    flow.notifyAll();
    return slot;
  }

  private Slot<S> at(int place) {
    Slot<S> slot = ring[place];
    if (slot == null) {
      throw new IllegalStateException("there is no slot to take");
    }
    return slot;
  }
}
