package dev.heddle.train.pipeline;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a pipeline where it may have to wait: how long it does goes into its lane, what it
 * waits for into the error when it was in vain.
 */
final class Waiter {
  private final Flow flow;
  private final Lane lane;
  private @Nullable Time waiting;
  private int waitingItem;
  private long since;

  Waiter(Flow flow, Lane lane) {
    this.flow = flow;
    this.lane = lane;
  }

  /**
   * Waits until something has changed; the caller has the flow's lock, and looks again.
   *
   * @param time why it waits; {@link Time#IDLE} may take for ever
   * @param epoch of the item that it waits to take or to give on
   */
  @SuppressWarnings("WaitNotInLoop") // The loop is the caller's.
  void await(Time time, int epoch, int item, String what) {
    if (waiting != time || item != waitingItem) {
      done();
      lane.begin(Stage.QUEUE, time, epoch, item);
      waiting = time;
      waitingItem = item;
      since = System.nanoTime();
    }
    long limit = flow.deadlineNanos();
    long left = limit - (System.nanoTime() - since);
    if (left <= 0 && time != Time.IDLE) {
      throw new IllegalStateException(
          String.format(
              Locale.ROOT,
              "stage %s waited %.1f s in vain at epoch %d, item %d, for %s",
              lane.thread(),
              limit * 1e-9,
              epoch,
              item,
              what));
    }
    try {
      if (time == Time.IDLE) {
        flow.wait();
      } else {
        TimeUnit.NANOSECONDS.timedWait(flow, left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(
          "interrupted: stage "
              + lane.thread()
              + " waited at epoch "
              + epoch
              + ", item "
              + item
              + ", for "
              + what,
          e);
    }
  }

  /** Does not wait any more. */
  void done() {
    if (waiting != null) {
      lane.end();
      waiting = null;
    }
  }
}
