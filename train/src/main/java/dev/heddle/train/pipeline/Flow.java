package dev.heddle.train.pipeline;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * What the threads of a pipeline share: the lock on which all of them wait, the first failure, and
 * whether it was cancelled. One lock for all queues is enough, because a slot is much work, and it
 * lets one word wake up everyone.
 */
final class Flow {
  /**
   * As long as nobody waits unless something hangs: what stages wait for in other workers has
   * deadlines of its own, far shorter ones.
   */
  private static final Duration DEADLINE = Duration.ofHours(1);

  private long deadlineNanos = DEADLINE.toNanos();
  private @Nullable Throwable failure;
  private boolean cancelled;
  private int ended;

  synchronized void deadline(Duration deadline) {
    deadlineNanos = deadline.toNanos();
  }

  synchronized long deadlineNanos() {
    return deadlineNanos;
  }

  /** Ends all stages: the first failure is the cause, later ones are told with it. */
  synchronized void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    } else if (!failure.equals(cause)) {
      failure.addSuppressed(cause);
    }
    notifyAll();
  }

  /** Ends all stages, for no fault of theirs. */
  synchronized void cancel() {
    cancelled = true;
    notifyAll();
  }

  /** Whether stages must end. */
  synchronized boolean isOver() {
    return cancelled || failure != null;
  }

  /** A stage has ended. */
  synchronized void end() {
    ended++;
    notifyAll();
  }

  /** How many stages have ended. */
  synchronized int ended() {
    return ended;
  }

  /** Tells whoever drives the pipeline why it is over, if it is. */
  synchronized void check() {
    switch (failure) {
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IllegalStateException(e);
      case null -> {
        if (cancelled) {
          throw new CancellationException("the pipeline was cancelled");
        }
      }
    }
  }
}
