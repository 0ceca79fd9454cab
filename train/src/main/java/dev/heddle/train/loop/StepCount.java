package dev.heddle.train.loop;

import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Stage;
import dev.heddle.train.pipeline.Time;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How many steps a worker has computed and how many updates it has made, for the two threads that
 * wait for each other: a step for room among those under way, an update for the step.
 */
final class StepCount {
  /** What an update waits for in other workers has deadlines of its own, far shorter ones. */
  private static final long DEADLINE_NANOS = TimeUnit.HOURS.toNanos(1);

  private final int most;
  private final int rank;
  private long computed;
  private long applied;
  private long last;
  private boolean closed;
  private @Nullable Throwable failure;

  /**
   * Nothing computed.
   *
   * @param most steps under way
   */
  StepCount(int most, int rank) {
    this.most = most;
    this.rank = rank;
  }

  /** There will be so many more steps. */
  synchronized void begin(int count) {
    last = computed + count;
  }

  /** How many there will be so far. */
  synchronized long last() {
    return last;
  }

  synchronized long computed() {
    return computed;
  }

  synchronized long applied() {
    return applied;
  }

  /** Steps whose updates are not made. */
  synchronized long lag() {
    return computed - applied;
  }

  synchronized void compute() {
    computed++;
    notifyAll();
  }

  synchronized void apply() {
    applied++;
    notifyAll();
  }

  synchronized void fail(Throwable cause) {
    failure = cause;
    notifyAll();
  }

  synchronized void close() {
    closed = true;
    notifyAll();
  }

  /** Waits until a step more may be under way. */
  synchronized void awaitRoom() {
    awaitLag(most - 1L, "room for a step");
  }

  /** Waits until the updates of all steps are made. */
  synchronized void awaitAll() {
    awaitLag(0, "the updates of all steps");
  }

  private synchronized void awaitLag(long allowed, String what) {
    long since = System.nanoTime();
    while (computed - applied > allowed && failure == null) {
      long left = DEADLINE_NANOS - (System.nanoTime() - since);
      if (left <= 0) {
        throw new IllegalStateException(
            "rank "
                + rank
                + " waited in vain for "
                + what
                + ": "
                + computed
                + " steps, "
                + applied
                + " updates");
      }
      await(left);
    }
    check();
  }

  /**
   * Waits for the step whose update is next.
   *
   * @return whether there is one; none when all is closed
   */
  synchronized boolean awaitOwn(long step, Lane lane) {
    if (computed <= step && !closed) {
      // Between epochs nobody waits for it.
      lane.begin(Stage.QUEUE, computed == last ? Time.IDLE : Time.STARVED, 0, 0);
      while (computed <= step && !closed) {
        await(DEADLINE_NANOS);
      }
      lane.end();
    }
    return computed > step;
  }

  private void check() {
    switch (failure) {
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IllegalStateException(e);
      case null -> {
        // Nothing failed.
      }
    }
  }

  @SuppressWarnings("WaitNotInLoop") // The loop is the caller's.
  private void await(long nanos) {
    try {
      TimeUnit.NANOSECONDS.timedWait(this, nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(
          "interrupted: rank " + rank + " after " + computed + " steps", e);
    }
  }
}
