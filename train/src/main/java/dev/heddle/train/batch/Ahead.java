package dev.heddle.train.batch;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Fills slots with the items of epochs, one after another: at the moment each is asked for where
 * there is one slot, or by a thread that works ahead into those that are free, into the next epoch
 * too where one is sure to follow.
 *
 * @param <S> what an item is put into
 */
public final class Ahead<S> implements AutoCloseable {
  private static final long DEADLINE_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final List<S> slots;
  private final int perEpoch;
  private final Filling<S> filling;
  private final @Nullable Thread thread;

  // Guarded by this where there is a thread. Items are counted through all epochs.
  private long filled;
  private long given;
  private long items;
  private int firstEpoch;
  private long firstItem;
  private int lastEpoch;
  private boolean closed;
  private @Nullable Throwable failure;

  private long idleNanos;

  /** Puts an item of an epoch into a slot, in the place of what was there. */
  @FunctionalInterface
  public interface Filling<S> {
    void fill(S slot, int epoch, int item);
  }

  /**
   * Slots to be filled; several of them by a thread.
   *
   * @param perEpoch items of an epoch
   * @param name of the thread
   */
  public Ahead(List<S> slots, int perEpoch, Filling<S> filling, String name) {
    this.slots = List.copyOf(slots);
    this.perEpoch = perEpoch;
    this.filling = filling;
    thread =
        slots.size() == 1 ? null : Thread.ofPlatform().daemon().name(name).start(this::workAhead);
  }

  /** Epochs up to this one will follow one another, unless training ends before. */
  public synchronized void expect(int last) {
    lastEpoch = last;
  }

  /** Begins an epoch, the one before having been taken to its end. */
  public synchronized void begin(int epoch) {
    if (given == items) {
      firstEpoch = epoch;
      firstItem = given;
      boolean goesOn = thread != null && lastEpoch > epoch;
      items += goesOn ? (long) perEpoch * (lastEpoch - epoch + 1) : perEpoch;
      notifyAll();
    } else if (epoch != epochOf(given)) {
      throw new IllegalStateException("epoch " + epochOf(given) + " is loaded ahead, not " + epoch);
    }
  }

  private int epochOf(long item) {
    return firstEpoch + Math.toIntExact((item - firstItem) / perEpoch);
  }

  /** The slot with the next item. The one given before is free to be filled again. */
  public S next() {
    if (thread == null) {
      fill(given++);
      return slots.getFirst();
    }
    long start = System.nanoTime();
    long item;
    synchronized (this) {
      item = given++;
      notifyAll();
      while (filled < given && failure == null) {
        await(start);
      }
      if (failure instanceof RuntimeException known) {
        throw known;
      }
      if (failure != null) {
        throw new IllegalStateException("item " + item + " could not be loaded", failure);
      }
    }
    idleNanos += System.nanoTime() - start;
    return slot(item);
  }

  private S slot(long item) {
    return slots.get((int) (item % slots.size()));
  }

  private void fill(long item) {
    filling.fill(slot(item), epochOf(item), (int) ((item - firstItem) % perEpoch));
  }

  private void workAhead() {
    try {
      for (long item = nextToFill(); item >= 0; item = nextToFill()) {
        fill(item);
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
  private synchronized long nextToFill() {
    while (!closed && filled >= fillable()) {
      try {
        wait();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return -1;
      }
    }
    return closed ? -1 : filled;
  }

  /** How many items there may be, by now, at all who load the same. */
  private long fillable() {
    return Math.min(items, given + slots.size() - 1);
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

  /**
   * Ends the thread, after what it may have begun: other workers may load the same with this one,
   * and would wait for it.
   */
  @Override
  public void close() {
    if (thread == null) {
      return;
    }
    boolean interrupted = false;
    synchronized (this) {
      try {
        for (long start = System.nanoTime(); filled < fillable() && failure == null; ) {
          await(start);
        }
      } catch (IllegalStateException _) {
        // Interrupted, or in vain: it ends as it is.
        interrupted = Thread.interrupted();
      }
      closed = true;
      thread.interrupt();
    }
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
