package dev.heddle.train;

import dev.heddle.graph.sample.Sampler;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.kernel.Workers;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The batches of an epoch, one after another, sampled and fetched: at the moment each is asked for,
 * or by a thread that works one batch ahead. Draws are keyed by batch, so that it makes no
 * difference to what comes out.
 */
final class SampleFeed implements AutoCloseable {
  private static final long DEADLINE_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final Sampler sampler;
  private final SeedOrder seeds;
  private final List<BatchProgram> slots;
  private final Workers workers;
  private final @Nullable Thread thread;

  // Guarded by this where there is a thread.
  private int filled;
  private int given;
  private int batches;
  private boolean closed;
  private @Nullable Throwable failure;

  private long arcs;
  private long sampleNanos;
  private long fetchNanos;
  private long idleNanos;

  /**
   * A feed.
   *
   * @param slots one; two for a thread that works ahead
   * @param workers who sample and fetch, nobody else's
   */
  SampleFeed(BatchPlan plan, List<BatchProgram> slots, Workers workers) {
    sampler = plan.sampler();
    seeds = plan.order();
    this.slots = slots;
    this.workers = workers;
    thread =
        slots.size() == 1
            ? null
            : Thread.ofPlatform().daemon().name("heddle-sampler").start(this::workAhead);
  }

  /** Begins an epoch, the one before having been taken to its end; returns its batches. */
  synchronized int begin(int epoch) {
    seeds.epoch(epoch);
    filled = 0;
    given = 0;
    batches = seeds.batches();
    notifyAll();
    return batches;
  }

  /** The next batch of the epoch. The one given before is free to be filled again. */
  BatchProgram next() {
    if (thread == null) {
      BatchProgram slot = slots.getFirst();
      fill(slot, given++);
      return slot;
    }
    long start = System.nanoTime();
    synchronized (this) {
      given++;
      notifyAll();
      while (filled < given && failure == null) {
        await(start);
      }
      if (failure != null) {
        throw new IllegalStateException("batch " + (given - 1) + " could not be sampled", failure);
      }
    }
    idleNanos += System.nanoTime() - start;
    return slots.get((given - 1) % slots.size());
  }

  private void workAhead() {
    try {
      for (int batch = nextToFill(); batch >= 0; batch = nextToFill()) {
        fill(slots.get(batch % slots.size()), batch);
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

  /** Waits for a slot: that of the batch being trained on is not free. Negative at the end. */
  private synchronized int nextToFill() {
    while (!closed && (filled >= batches || filled >= given + slots.size() - 1)) {
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
      throw new IllegalStateException(
          "waited in vain for batch " + (given - 1) + " of epoch " + seeds.epoch());
    }
    try {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a batch", e);
    }
  }

  private void fill(BatchProgram slot, int batch) {
    long start = System.nanoTime();
    sampler.sample(seeds, batch, slot.batch());
    long sampled = System.nanoTime();
    slot.input().fetch(slot.batch());
    slot.labels().fetch(workers, slot.batch());
    arcs += slot.batch().arcs();
    sampleNanos += sampled - start;
    fetchNanos += System.nanoTime() - sampled;
  }

  /** Arcs of all batches so far. */
  long arcs() {
    return arcs;
  }

  double sampleSeconds() {
    return sampleNanos * 1e-9;
  }

  double fetchSeconds() {
    return fetchNanos * 1e-9;
  }

  double idleSeconds() {
    return idleNanos * 1e-9;
  }

  @Override
  public void close() {
    if (thread != null) {
      synchronized (this) {
        closed = true;
        notifyAll();
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
    slots.forEach(BatchProgram::close);
    sampler.close();
  }
}
