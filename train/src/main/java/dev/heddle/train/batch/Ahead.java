package dev.heddle.train.batch;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Fills slots with one item after another: at the moment each is asked for where there is one slot,
 * or by a thread that works ahead into those that are free.
 *
 * @param <S> what an item is put into
 */
public final class Ahead<S> implements AutoCloseable {
  private static final long DEADLINE_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final List<S> slots;
  private final Filling<S> filling;
  private final @Nullable Thread thread;

  // Guarded by this where there is a thread.
  private int filled;
  private int given;
  private int items;
  private boolean closed;
  private @Nullable Throwable failure;

  private long idleNanos;

  /** Puts an item into a slot, in the place of what was there. */
  @FunctionalInterface
  public interface Filling<S> {
    void fill(S slot, int item);
  }

  /** Slots to be filled; several of them by a thread of this name. */
  public Ahead(List<S> slots, Filling<S> filling, String name) {
    this.slots = List.copyOf(slots);
    this.filling = filling;
    thread =
        slots.size() == 1 ? null : Thread.ofPlatform().daemon().name(name).start(this::workAhead);
  }

  /** Begins with so many items, those before having been taken to their end. */
  public synchronized void begin(int count) {
    filled = 0;
    given = 0;
    items = count;
    notifyAll();
  }

  /** The slot with the next item. The one given before is free to be filled again. */
  public S next() {
    if (thread == null) {
      S slot = slots.getFirst();
      filling.fill(slot, given++);
      return slot;
    }
    long start = System.nanoTime();
    synchronized (this) {
      given++;
      notifyAll();
      while (filled < given && failure == null) {
        await(start);
      }
      if (failure instanceof RuntimeException known) {
        throw known;
      }
      if (failure != null) {
        throw new IllegalStateException("item " + (given - 1) + " could not be loaded", failure);
      }
    }
    idleNanos += System.nanoTime() - start;
    return slots.get((given - 1) % slots.size());
  }

  private void workAhead() {
    try {
      for (int item = nextToFill(); item >= 0; item = nextToFill()) {
        filling.fill(slots.get(item % slots.size()), item);
        synchronized (this) {
          filled++;
          notifyAll();
        }
      }
    } catch (Throwable e) {
      synchronized (this) {
        failure = e;
        notifyAll();
      }
    }
  }

  /** Waits for a slot: that of the item in use is not free. Negative at the end. */
  private synchronized int nextToFill() {
    while (!closed && (filled >= items || filled >= given + slots.size() - 1)) {
      try {
        wait();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return -1;
      }
    }
    return closed ? -1 : filled;
  }

  private void await(long since) {
    long left = DEADLINE_NANOS - (System.nanoTime() - since);
    if (left <= 0) {
      throw new IllegalStateException("waited in vain for item " + (given - 1));
    }
    try {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for what is loaded ahead", e);
    }
  }

  /** How long {@link #next} waited for the thread. */
  public double idleSeconds() {
    return idleNanos * 1e-9;
  }

  /** Ends the thread. If it waits for other workers, it is in vain: this one is about to leave. */
  @Override
  public void close() {
    if (thread == null) {
      return;
    }
    synchronized (this) {
      closed = true;
      thread.interrupt();
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
